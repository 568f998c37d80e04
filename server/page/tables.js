// Tables. A cell is text, or {text, ...}: number, wide, foreign, nowrap, zero,
// alarm, swatch, small (a second line), title.

function fillTable(id, rows) {
  const table = byId(id);
  table.hidden = rows.length === 0;
  table.parentElement.querySelector('.empty').hidden = rows.length > 0;
  fill(table.tBodies[0], rows.length, () => make('tr'), (tr, i) => {
    fill(tr, rows[i].length, () => {
      const td = make('td');
      td.append(make('span'));
      return td;
    }, (td, k) => fillCell(td, rows[i][k]));
  });
}

function fillCell(td, cell) {
  const { text, small, title, swatch, ...marks } = typeof cell === 'object' ? cell : { text: cell };
  const names = Object.keys(marks).filter(name => marks[name]).join(' ');
  if (td.className !== names) td.className = names;
  setText(td.firstChild, text);
  td.firstChild.className = swatch ? 'swatch' : '';
  if (swatch) td.firstChild.style.setProperty('--swatch', 'var(--' + swatch + ')');
  if (td.title !== (title || '')) td.title = title || '';
  if (small === undefined) {
    if (td.children.length > 1) td.lastChild.remove();
    return;
  }
  if (td.children.length < 2) td.append(make('span', 'small'));
  setText(td.lastChild, small);
}

const number = (text, more) => ({ text, number: true, ...more });
const count = (n, more) => number(formatTotal(n), { zero: n === 0, ...more });

function showOperations(operations) {
  const busiest = [...operations].sort((a, b) => b.requests - a.requests);
  fillTable('operations', busiest.map(o => [
    { text: o.name, swatch: operationColor(o.name) },
    number(formatCount(o.rate), { zero: o.rate === 0 }),
    number(formatLatency(o.latency.p50), { wide: true, zero: o.latency.p50 === 0 }),
    number(formatLatency(o.latency.p99), { zero: o.latency.p99 === 0 }),
    number(formatLatency(o.latency_ever.p99), { wide: true }),
    count(o.requests, { wide: true }),
    count(o.errors, { alarm: o.errors > 0 }),
    count(o.aborted, { wide: true }),
    number(formatBytes(o.received_bytes), { wide: true, zero: o.received_bytes === 0 }),
    number(formatBytes(o.sent_bytes), { wide: true, zero: o.sent_bytes === 0 }),
  ]));
}

function showErrors(failures) {
  fillTable('errors', failures.map(f => [
    { text: formatClock(Date.parse(f.time)), nowrap: true, small: f.times > 1 ? '× ' + formatTotal(f.times) : undefined, title: f.time },
    { text: f.status + ' ' + f.code, alarm: true, small: f.operation },
    { text: foreign(f.method + ' ' + f.target), wide: true, foreign: true, small: 'from ' + f.remote },
    { text: foreign(f.cause.startsWith(f.code + ': ') ? f.cause.slice(f.code.length + 2) : f.cause), foreign: true },
  ]));
}

function showMore(id, shown, all, what) {
  byId(id).hidden = shown >= all;
  setText(byId(id), 'The first ' + shown + ' of ' + formatTotal(all) + ' ' + what + '.');
}

function showStats(s) {
  setText(byId('about'), [s.version, location.host, 'up ' + formatSpan(s.uptime_seconds)].filter(Boolean).join(' · '));
  showOperations(s.operations);
  showErrors(s.failures);
  setText(byId('buckets-sum'), plural(s.buckets_total, 'bucket') + ', ' + plural(s.objects_total, 'object') + ', ' + formatBytes(s.object_bytes_total));
  fillTable('buckets', s.buckets.map(b => [
    { text: foreign(b.name), foreign: true }, b.mode, count(b.objects),
    number(formatBytes(b.bytes), { title: formatTotal(b.bytes) + ' bytes', zero: b.bytes === 0 }), count(b.versions, { wide: true }),
  ]));
  showMore('buckets-more', s.buckets.length, s.buckets_total, 'buckets');
  setText(byId('uploads-sum'), s.uploads_total > 0 ? formatTotal(s.uploads_total) + ' running' : '');
  fillTable('uploads', s.uploads.map(u => [
    { text: foreign(u.key), foreign: true, title: 'upload ' + u.id }, { text: foreign(u.bucket), foreign: true },
    number(formatSpan((s.now.time - Date.parse(u.initiated)) / 1000)),
  ]));
  showMore('uploads-more', s.uploads.length, s.uploads_total, 'uploads');
}
