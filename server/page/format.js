'use strict';

// Numbers as people read them. Sizes are in powers of 1024, as in every tool
// that measures storage in GiB/s.

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

// three gives x three digits that tell something.
function three(x) {
  if (x >= 100) return whole.format(x);
  const text = x.toFixed(x >= 10 ? 1 : 2);
  return x === 0 ? '0' : text;
}

// scaled divides x by base until it is below 1000 and appends the unit.
function scaled(x, base, units) {
  let i = 0;
  while (x >= 999.5 && i < units.length - 1) {
    x /= base;
    i++;
  }
  const text = i === 0 && Number.isInteger(x) ? String(x) : three(x);
  return units[i] ? text + ' ' + units[i] : text;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const formatBytes = n => scaled(n, 1024, byteUnits);
const formatByteRate = n => formatBytes(Math.round(n)) + '/s';
const formatTotal = n => whole.format(n);

// A tick of an axis: "1 GiB/s", where a value is "1.00 GiB/s".
const tick = format => v => format(v).replace(/\.0+(?=\D|$)/, '');

// A rate or a number of things: exact as long as it is short.
function formatCount(n) {
  if (n < 10 && !Number.isInteger(n)) return n.toFixed(1);
  if (n < 99999.5) return whole.format(n);
  return scaled(n, 1000, ['', 'k', 'M', 'G', 'T']);
}

// Seconds of a latency; null is "there was none".
function formatLatency(s) {
  if (s === null || s === undefined || s <= 0) return '–';
  if (s < 0.9995e-3) return three(s * 1e6) + ' µs';
  if (s < 0.9995) return three(s * 1e3) + ' ms';
  return three(s) + ' s';
}

// Seconds of a span of life.
function formatSpan(s) {
  s = Math.max(0, Math.floor(s));
  const days = Math.floor(s / 86400), hours = Math.floor(s / 3600) % 24, minutes = Math.floor(s / 60) % 60;
  if (days > 0) return days + ' d ' + hours + ' h';
  if (hours > 0) return hours + ' h ' + minutes + ' min';
  if (minutes > 0) return minutes + ' min ' + (s % 60) + ' s';
  return s + ' s';
}

const two = n => String(n).padStart(2, '0');

function formatClock(ms, seconds = true) {
  const d = new Date(ms);
  const text = two(d.getHours()) + ':' + two(d.getMinutes());
  return seconds ? text + ':' + two(d.getSeconds()) : text;
}

// Names and causes come from clients. They only ever become text nodes; what
// does not print or turns the direction of writing is shown by its number.
function foreign(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}
