// The stream of what the server counts: one event each second.

const keepMillis = 15 * 60000 + 5000;
// The server sends each second. Four seconds without are not the network's
// jitter any more.
const silenceMillis = 4000;
const retryMillis = 2000;
// A page that nobody sees is given a moment, then it costs the server nothing.
const hiddenMillis = 10000;
// Screen readers hear what a chart shows when they ask; it need not be the
// second's value.
const labelMillis = 10000;

let source = null;  // the open stream
let heard = 0;      // when the last event came
let opened = 0;     // when source was made
let hideTimer = 0;
let labelled = 0;

function setState(name, text) {
  byId('state').dataset.state = name;
  setText(byId('state'), text);
  document.body.toggleAttribute('data-stale', name === 'disconnected' || name === 'paused');
}

function connect() {
  disconnect();
  opened = Date.now();
  source = new EventSource('api/events');
  source.addEventListener('stats', event => receive(JSON.parse(event.data)));
  source.addEventListener('error', () => setState('disconnected', lastHeard()));
}

function disconnect() {
  if (source) source.close();
  source = null;
}

function lastHeard() {
  const text = 'disconnected, trying again';
  return heard > 0 ? text + ' (last data ' + formatClock(heard) + ')' : text;
}

// receive takes a state. What is missing before it is fetched.
function receive(stats) {
  heard = Date.now();
  const restarted = state.stats && state.stats.started !== stats.started;
  if (restarted) state.samples = [];
  state.stats = stats;
  if (stats.ready) setState('live', 'live');
  else setState('waiting', 'not ready');
  const last = state.samples[state.samples.length - 1];
  const n = stats.now.number;
  if (n > 0 && (!last || n > last.number)) {
    if (n > 1 && (!last || n > last.number + 1)) fetchHistory();
    state.samples.push(stats.now);
    const oldest = stats.now.time - keepMillis;
    while (state.samples[0].time < oldest) state.samples.shift();
  }
  showStats(stats);
  if (heard - labelled > labelMillis) {
    labelled = heard;
    labelCharts();
  }
  scheduleDraw();
}

let fetching = false;
async function fetchHistory() {
  if (fetching) return;
  fetching = true;
  const { started } = state.stats;
  try {
    const { samples } = await (await fetch('api/history', { cache: 'no-store' })).json();
    // The server may have been replaced meanwhile.
    if (state.stats.started === started) {
      const newest = samples.length > 0 ? samples[samples.length - 1].number : 0;
      state.samples = samples.concat(state.samples.filter(s => s.number > newest));
      scheduleDraw();
    }
  } catch {
    // The next gap asks again; the stream's own state is shown.
  } finally {
    fetching = false;
  }
}

function setRange(minutes) {
  state.minutes = minutes;
  for (const b of byId('ranges').children) b.setAttribute('aria-pressed', String(Number(b.dataset.minutes) === minutes));
}

// watch finds a stream that is silent without an error, and one that the
// browser has given up.
function watch() {
  if (!source) return;
  const now = Date.now();
  if (now - Math.max(heard, opened) < silenceMillis) return;
  setState('disconnected', lastHeard());
  if (now - opened > silenceMillis + retryMillis) connect();
}

function start() {
  for (const card of cards) buildCard(card);
  byId('ranges').addEventListener('click', event => {
    if (!event.target.dataset.minutes) return;
    setRange(Number(event.target.dataset.minutes));
    labelCharts();
    scheduleDraw();
  });
  new ResizeObserver(scheduleDraw).observe(byId('charts'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    tokens.clear();
    scheduleDraw();
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hideTimer);
    if (document.hidden) {
      hideTimer = setTimeout(() => {
        disconnect();
        setState('paused', 'paused');
      }, hiddenMillis);
    } else if (!source) {
      setState('connecting', 'connecting');
      connect();
    }
  });
  setInterval(watch, 1000);
  connect();
}

start();
