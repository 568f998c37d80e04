// The cards: numbers on top of a chart each.

// Colours of operations: the usual ones have their own, so that two pages side
// by side look alike; others take what is free.
const operationColors = new Map([
  ['GetObject', 'series-1'], ['PutObject', 'series-2'], ['HeadObject', 'series-3'],
  ['ListObjectsV2', 'series-4'], ['DeleteObject', 'series-5'], ['UploadPart', 'series-6'],
]);
const seenOperations = [];

function operationColor(name) {
  if (!seenOperations.includes(name)) {
    seenOperations.push(name);
    if (!operationColors.has(name)) {
      const taken = new Set(seenOperations.map(n => operationColors.get(n)));
      const free = ['series-7', 'series-6', 'series-5', 'series-4', 'series-3'].find(c => !taken.has(c));
      operationColors.set(name, free || 'series-other');
    }
  }
  return operationColors.get(name);
}

const positive = v => v > 0 ? v : null;
const limitOf = () => state.stats ? state.stats.memory.limit_bytes : 0;
const processorsOf = () => state.stats ? state.stats.processors : 1;
const plural = (n, one) => formatTotal(n) + ' ' + one + (n === 1 ? '' : 's');
const percent = x => (x > 0 && x < 0.0995 ? (x * 100).toFixed(1) : Math.round(x * 100)) + ' %';

// The cards. values are the numbers on top: of the newest sample, or of the
// one that is pointed at.
const cards = [
  {
    id: 'throughput', title: 'Throughput', scale: byteScale, tick: tick(formatByteRate),
    series: [
      { name: 'out', color: 'series-1', fill: true, value: s => s.sent_bytes },
      { name: 'in', color: 'series-2', fill: true, value: s => s.received_bytes },
    ],
    values: s => [
      { text: formatByteRate(s.sent_bytes), name: 'out', color: 'series-1' },
      { text: formatByteRate(s.received_bytes), name: 'in', color: 'series-2' },
    ],
  },
  {
    id: 'requests', title: 'Requests by operation', scale: countScale, tick: tick(formatCount),
    stacked: true, series: [], legend: true, marks: s => s.errors > 0,
    values: s => [
      { text: formatCount(s.requests) + '/s', name: 'requests' },
      { text: formatCount(s.errors) + '/s', name: 'errors', alarm: s.errors > 0 },
    ],
  },
  {
    id: 'latency', title: 'Latency', scale: logScale, tick: tick(formatLatency),
    series: [
      { name: 'p99', color: 'series-4', value: s => positive(s.latency.p99) },
      { name: 'p50', color: 'series-3', value: s => positive(s.latency.p50) },
    ],
    values: s => [
      { text: formatLatency(s.latency.p50), name: 'p50', color: 'series-3' },
      { text: formatLatency(s.latency.p99), name: 'p99', color: 'series-4' },
      { text: formatLatency(s.ttfb.p50), name: 'first byte, p50' },
    ],
  },
  {
    id: 'connections', title: 'Connections', scale: countScale, tick: tick(formatCount),
    series: [
      { name: 'open', color: 'series-1', fill: true, value: s => s.connections },
      { name: 'requests in flight', color: 'series-2', value: s => s.inflight },
    ],
    values: s => [
      { text: formatCount(s.connections), name: 'open', color: 'series-1' },
      { text: formatCount(s.inflight), name: 'requests in flight', color: 'series-2' },
    ],
  },
  {
    id: 'cpu', title: 'Server CPU', scale: processorScale, tick: v => String(Number(v.toPrecision(3))),
    series: [{ name: 'processors in use', color: 'series-3', fill: true, value: s => s.cpu }],
    limit: processorsOf,
    values: s => [
      { text: percent(s.cpu / processorsOf()), name: 'CPU share', color: 'series-3' },
      { text: s.cpu.toFixed(2), name: 'of ' + plural(processorsOf(), 'processor') },
    ],
  },
  {
    id: 'memory', title: 'Memory', scale: byteScale, tick: tick(formatBytes), meter: true,
    series: [
      { name: 'process', color: 'series-7', value: s => positive(s.resident_bytes) },
      { name: 'stored', color: 'series-1', fill: true, value: s => s.memory_bytes },
    ],
    limit: limitOf,
    values: s => [
      { text: formatBytes(s.memory_bytes), name: limitOf() > 0 ? 'stored, limit ' + formatBytes(limitOf()) : 'stored, no limit', color: 'series-1' },
      { text: s.resident_bytes > 0 ? formatBytes(s.resident_bytes) : '–', name: 'process', color: 'series-7' },
    ],
  },
];

// buildCard makes the elements of a card and its chart.
function buildCard(card) {
  const root = make('section', 'card');
  root.id = 'card-' + card.id;
  const top = make('div', 'top');
  const title = make('h2', '', card.title);
  title.id = root.id + '-title';
  root.setAttribute('aria-labelledby', title.id);
  card.time = make('time');
  top.append(title, card.time);
  card.list = make('ul', 'values');
  root.append(top, card.list);
  if (card.meter) {
    card.bar = make('div', 'meter');
    card.bar.setAttribute('role', 'meter');
    card.bar.setAttribute('aria-label', 'Memory used of the limit');
    card.bar.setAttribute('aria-valuemin', '0');
    card.bar.setAttribute('aria-valuemax', '100');
    card.bar.append(make('div'));
    root.append(card.bar);
  }
  card.plot = make('div', 'plot');
  const canvas = make('canvas');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', card.title);
  card.plot.append(canvas);
  root.append(card.plot);
  if (card.legend) {
    card.names = make('ul', 'legend');
    root.append(card.names);
  }
  byId('charts').append(root);
  card.chart = new Chart(card.plot, card);
  listen(canvas);
}

// listen lets pointer and arrow keys choose a time, in all charts at once.
function listen(canvas) {
  const point = event => {
    const view = currentView(), r = canvas.getBoundingClientRect();
    const share = (event.clientX - r.left - margin.left) / (r.width - margin.left - margin.right);
    state.hover = view.from + Math.min(1, Math.max(0, share)) * (view.to - view.from);
    state.keyboard = false;
    scheduleDraw();
  };
  const leave = () => {
    state.hover = null;
    scheduleDraw();
  };
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('pointerdown', point);
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('blur', () => state.keyboard && leave());
  canvas.addEventListener('keydown', event => {
    if (event.key === 'Escape') return leave();
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30, Home: -1e6, End: 1e6 }[event.key];
    const shown = currentView().samples;
    if (!step || shown.length === 0) return;
    event.preventDefault();
    const at = state.hover === null ? shown.length - 1 : nearest(shown, state.hover);
    state.hover = shown[Math.min(shown.length - 1, Math.max(0, at + step))].time;
    state.keyboard = true;
    scheduleDraw();
  });
}

// nearest returns the place of the sample nearest to a time.
function nearest(samples, time) {
  let low = 0, high = samples.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (samples[middle].time < time) low = middle + 1;
    else high = middle;
  }
  return low > 0 && time - samples[low - 1].time < samples[low].time - time ? low - 1 : low;
}

// However young the server is: lines should not change their shape each second.
const leastMillis = 60000;

// currentView is what the charts show now. The newest sample is the right end:
// the clock is the server's.
function currentView() {
  const all = state.samples;
  const to = all.length > 0 ? all[all.length - 1].time : Date.now();
  // What is before the server's start is no use to look at.
  const since = all.length > 0 ? Math.min(all[0].time, to - leastMillis) : to - leastMillis;
  const from = Math.max(since, to - state.minutes * 60000);
  // One sample more at the left, so that lines begin at the edge.
  const first = all.findIndex(s => s.time >= from);
  const samples = first < 0 ? [] : all.slice(Math.max(0, first - 1));
  let hover = null;
  if (state.hover !== null && samples.length > 0) {
    hover = samples[nearest(samples, Math.max(state.hover, from))];
  }
  return { samples, from, to, hover };
}

let drawn = 0; // a frame that is asked for
function scheduleDraw() {
  if (drawn === 0) drawn = requestAnimationFrame(draw);
}

function draw() {
  drawn = 0;
  const view = currentView();
  const shown = view.hover || view.samples[view.samples.length - 1];
  updateOperations(view);
  for (const card of cards) {
    if (shown) showValues(card, shown);
    setText(card.time, view.hover ? formatClock(view.hover.time) : '');
    card.chart.draw(view);
  }
}

// Stacked areas tell apart a handful.
const mostSeries = 5;

// updateOperations makes the series of the requests chart: the busiest at the
// bottom, what has no place of its own as one on top.
function updateOperations(view) {
  const card = cards.find(c => c.id === 'requests');
  const sums = new Map();
  for (const s of view.samples) {
    for (const [name, rate] of Object.entries(s.operations)) sums.set(name, (sums.get(name) || 0) + rate);
  }
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a) || (a < b ? -1 : 1));
  const colored = names.filter(n => operationColor(n) !== 'series-other');
  const own = colored.slice(0, names.length === mostSeries + 1 ? mostSeries + 1 : mostSeries);
  const rest = names.filter(n => !own.includes(n));
  const series = own.map(name => ({ name, color: operationColor(name), value: s => s.operations[name] || 0 }));
  if (rest.length > 0) {
    series.push({
      name: rest.length === 1 ? rest[0] : rest.length + ' others', color: 'series-other',
      value: s => rest.reduce((sum, n) => sum + (s.operations[n] || 0), 0),
    });
  }
  card.chart.series = series;
}

function showValues(card, sample) {
  const values = card.values(sample);
  fill(card.list, values.length, () => {
    const li = make('li');
    li.append(make('b'), make('span'));
    return li;
  }, (li, i) => {
    const v = values[i];
    setText(li.children[0], v.text);
    setText(li.children[1], v.name);
    li.classList.toggle('alarm', Boolean(v.alarm));
    li.children[1].classList.toggle('swatch', Boolean(v.color));
    if (v.color) li.children[1].style.setProperty('--swatch', 'var(--' + v.color + ')');
  });
  if (card.legend) {
    const series = card.chart.series;
    fill(card.names, series.length, () => {
      const li = make('li', 'swatch');
      li.append(make('span'), ' ', make('b'));
      return li;
    }, (li, i) => {
      li.style.setProperty('--swatch', 'var(--' + series[i].color + ')');
      setText(li.children[0], series[i].name);
      setText(li.children[1], formatCount(series[i].value(sample)));
    });
  }
  if (card.meter) {
    const share = limitOf() > 0 ? Math.min(1, sample.memory_bytes / limitOf()) : 0;
    card.bar.hidden = limitOf() <= 0;
    card.bar.firstChild.style.width = share * 100 + '%';
    card.bar.classList.toggle('high', share > 0.9);
    card.bar.setAttribute('aria-valuenow', String(Math.round(share * 100)));
  }
}

// labelCharts tells screen readers what the charts show.
function labelCharts() {
  const view = currentView();
  const last = view.samples[view.samples.length - 1];
  if (!last) return;
  for (const card of cards) {
    const now = card.values(last).map(v => v.name + ' ' + v.text).join(', ');
    card.plot.firstChild.setAttribute('aria-label',
      card.title + ', last ' + Math.round((view.to - view.from) / 60000) + ' min. Now: ' + now + '. Arrow keys choose a time.');
  }
}
