// Charts drawn on a canvas, one call for each second: no library, no
// animation, nothing between two samples.

const axisFont = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
// The same left margin in every chart lines up their times; it holds
// "512 MiB/s".
const margin = { left: 62, right: 10, top: 8, bottom: 20 };
// Samples come each second. A longer silence is a gap, not a line.
const gapAfter = 2500;

const tokens = new Map();
function token(name) {
  if (!tokens.has(name)) tokens.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
  return tokens.get(name);
}

// Scales: where the axis ends and where its ticks are, for the largest and
// smallest value shown.

function linearScale(step, least) {
  return (max) => {
    const each = step(Math.max(max * 1.04, least));
    const ticks = [];
    for (let t = 0; ; t += each) {
      ticks.push(t);
      if (t >= max * 1.04 && t >= least) break;
    }
    const end = ticks[ticks.length - 1];
    return { ticks, at: v => v / end };
  };
}

// Powers of two, so that ticks of sizes are round in GiB too.
const byteScale = linearScale(end => 2 ** Math.ceil(Math.log2(end / 4)), 1024);

function decimalStep(end) {
  const power = 10 ** Math.floor(Math.log10(end / 4));
  return [1, 2, 5, 10].map(f => f * power).find(s => s * 4 >= end * 0.9999);
}
const countScale = linearScale(end => Math.max(1, decimalStep(end)), 4);
const processorScale = linearScale(decimalStep, 0.1);

// Latencies span decades; p50 and p99 would not share a linear axis.
function logScale(max, min) {
  if (!(max > 0)) [min, max] = [1e-4, 1e-2];
  const from = Math.floor(Math.log10(min) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(max) - 1e-9));
  const ticks = [];
  for (let e = from; e <= to; e++) ticks.push(10 ** e);
  if (to - from === 1) ticks.splice(1, 0, 2 * 10 ** from, 5 * 10 ** from);
  return { ticks, at: v => Math.max(0, (Math.log10(v) - from) / (to - from)) };
}

// Chart draws series of samples. A series is {name, color, value(sample)};
// a value of null is a gap. options: title, format, tick, scale, stacked,
// marks(sample) for seconds to be marked at the foot, limit(view) for a line.
class Chart {
  constructor(plot, options) {
    this.plot = plot;
    this.canvas = plot.querySelector('canvas');
    Object.assign(this, options);
    this.series = options.series || [];
  }

  // draw shows view: {samples, from, to, hover}, times in Unix milliseconds;
  // hover is the sample that is pointed at, or null.
  draw(view) {
    const width = this.plot.clientWidth, height = this.plot.clientHeight;
    if (width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    const c = this.canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const box = { left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };
    const x = t => box.left + (t - view.from) / (view.to - view.from) * (box.right - box.left);
    const scale = this.scaleFor(view);
    const y = v => box.bottom - scale.at(v) * (box.bottom - box.top);
    // Lines of one pixel of the screen, on its grid.
    const crisp = v => (Math.round(v * ratio) + 0.5) / ratio;
    this.drawAxes(c, view, box, x, y, scale, crisp, 1 / ratio);

    c.save();
    c.beginPath();
    c.rect(box.left, 0, box.right - box.left + 1, box.bottom + 1);
    c.clip();
    if (this.stacked) this.drawStack(c, view, x, y);
    else for (const s of this.series) this.drawLine(c, view, x, y, s);
    if (this.limit && this.limit(view) > 0 && scale.at(this.limit(view)) <= 1) {
      c.strokeStyle = token('bad');
      c.setLineDash([5, 4]);
      this.horizontal(c, box, crisp(y(this.limit(view))));
      c.setLineDash([]);
    }
    if (this.marks) {
      c.fillStyle = token('bad');
      for (const s of view.samples) if (this.marks(s)) c.fillRect(x(s.time) - 1, box.bottom - 3, 2, 4);
    }
    c.restore();
    if (view.hover) this.drawHover(c, view, box, x, y, crisp);
  }

  scaleFor(view) {
    let max = 0, min = Infinity;
    for (const s of view.samples) {
      let sum = 0;
      for (const one of this.series) {
        const v = one.value(s);
        if (v === null) continue;
        sum += v;
        max = Math.max(max, this.stacked ? sum : v);
        min = Math.min(min, v);
      }
    }
    const limit = this.limit ? this.limit(view) : 0;
    // A limit far away would flatten everything.
    if (limit > 0 && max > limit / 4) max = Math.max(max, limit);
    return this.scale(max, min);
  }

  horizontal(c, box, at) {
    c.beginPath();
    c.moveTo(box.left, at);
    c.lineTo(box.right, at);
    c.stroke();
  }

  drawAxes(c, view, box, x, y, scale, crisp, thin) {
    c.font = axisFont;
    c.lineWidth = thin;
    c.strokeStyle = token('edge');
    c.fillStyle = token('muted');
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    for (const t of scale.ticks) {
      this.horizontal(c, box, crisp(y(t)));
      c.fillText(this.tick(t), box.left - 7, Math.min(y(t), box.bottom - 2));
    }
    const minutes = (view.to - view.from) / 60000;
    const room = Math.max(1, Math.floor((box.right - box.left) / (minutes <= 1 ? 76 : 58)));
    const step = [15, 30, 60, 120, 180, 300, 600].find(s => minutes * 60 / s <= room) || 900;
    // Clock times, which line up with the client's own log.
    const zone = new Date(view.to).getTimezoneOffset() * 60000;
    c.textBaseline = 'alphabetic';
    c.textAlign = 'center';
    for (let t = Math.ceil((view.from - zone) / step / 1000) * step * 1000 + zone; t <= view.to; t += step * 1000) {
      const at = x(t), text = formatClock(t, step < 60), half = c.measureText(text).width / 2;
      c.beginPath();
      c.moveTo(crisp(at), box.bottom);
      c.lineTo(crisp(at), box.bottom + 4);
      c.stroke();
      if (at - half >= box.left - 20 && at + half <= box.right + margin.right) c.fillText(text, at, box.bottom + 15);
    }
  }

  // runs calls draw with each stretch of samples that has no gap.
  runs(samples, value, draw) {
    let run = [];
    let last = -Infinity;
    for (const s of samples) {
      const v = value(s);
      if (v === null || s.time - last > gapAfter) {
        if (run.length > 0) draw(run);
        run = [];
      }
      if (v !== null) {
        run.push([s, v]);
        last = s.time;
      }
    }
    if (run.length > 0) draw(run);
  }

  drawLine(c, view, x, y, series) {
    c.strokeStyle = c.fillStyle = token(series.color);
    c.lineWidth = 1.6;
    c.lineJoin = 'round';
    this.runs(view.samples, series.value, run => {
      if (run.length === 1) {
        c.beginPath();
        c.arc(x(run[0][0].time), y(run[0][1]), 1.6, 0, 7);
        c.fill();
        return;
      }
      c.beginPath();
      for (const [s, v] of run) c.lineTo(x(s.time), y(v));
      c.stroke();
      if (!series.fill) return;
      c.lineTo(x(run[run.length - 1][0].time), y(0));
      c.lineTo(x(run[0][0].time), y(0));
      c.globalAlpha = 0.14;
      c.fill();
      c.globalAlpha = 1;
    });
  }

  drawStack(c, view, x, y) {
    const base = new Map();
    for (const series of this.series) {
      c.strokeStyle = c.fillStyle = token(series.color);
      c.lineWidth = 1.2;
      c.lineJoin = 'round';
      this.runs(view.samples, series.value, run => {
        const top = ([s, v]) => [x(s.time), y((base.get(s) || 0) + v)];
        // No line where there is nothing: it would hide the one below.
        c.beginPath();
        for (let i = 1; i < run.length; i++) {
          if (run[i - 1][1] === 0 && run[i][1] === 0) continue;
          c.moveTo(...top(run[i - 1]));
          c.lineTo(...top(run[i]));
        }
        c.stroke();
        c.beginPath();
        for (const one of run) c.lineTo(...top(one));
        for (let i = run.length - 1; i >= 0; i--) c.lineTo(x(run[i][0].time), y(base.get(run[i][0]) || 0));
        c.globalAlpha = 0.35;
        c.fill();
        c.globalAlpha = 1;
        for (const [s, v] of run) base.set(s, (base.get(s) || 0) + v);
      });
    }
  }

  drawHover(c, view, box, x, y, crisp) {
    const s = view.hover, at = x(s.time);
    c.strokeStyle = token('muted');
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(crisp(at), box.top);
    c.lineTo(crisp(at), box.bottom);
    c.stroke();
    let sum = 0;
    for (const one of this.series) {
      const v = one.value(s);
      if (v === null || this.stacked && v === 0) continue;
      sum += v;
      c.fillStyle = token(one.color);
      c.strokeStyle = token('card');
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(at, y(this.stacked ? sum : v), 3.5, 0, 7);
      c.fill();
      c.stroke();
    }
  }
}
