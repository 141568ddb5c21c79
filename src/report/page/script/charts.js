'use strict';
const Page = {};

// The reason of the end of a game in words: `crash(exit 3)` is `crash (exit 3)`, `illegal_move:a7a6` is `illegal move a7a6`.
Page.reason = (text) => text.replaceAll('_', ' ').replace(/\s*\(/, ' (').replace(':', ' ');

// Charts: values at the cursor, zoom, layers that can be hidden, export. Most charts are drawn by the program; a chart of
// a game is drawn here.
Page.charts = (() => {
  const NS = 'http://www.w3.org/2000/svg';
  // Zoom and hidden layers by the id of the figure: the live page replaces charts as the run grows.
  const kept = new Map();

  const numbers = (text) => text ? text.split(' ').map(Number) : [];
  const minus = (text) => text.replace('-', '\u2212');
  const grouped = (value) => minus(Math.round(value).toLocaleString('en-US'));

  function element(name, attributes, text) {
    const made = document.createElementNS(NS, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function button(text, label, act) {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.title = label;
    made.addEventListener('click', act);
    return made;
  }

  // Reads the data of a chart from its markup.
  function read(svg) {
    const [left, top, right, floor] = numbers(svg.dataset.plot);
    const layers = [...svg.querySelectorAll('g.layer')].map((group) => ({
      group, kind: group.dataset.kind, name: group.dataset.name, hidden: false,
      x: numbers(group.dataset.x), y: numbers(group.dataset.y), low: numbers(group.dataset.low), high: numbers(group.dataset.high),
    }));
    const limit = numbers(svg.dataset.yLimit);
    return {
      svg, left, top, right, floor, layers, limit: limit.length ? limit : null, whole: svg.dataset.whole === 'yes',
      fullX: numbers(svg.dataset.xRange), fullY: numbers(svg.dataset.yRange), range: null,
      xName: svg.dataset.xName, decimals: Number(svg.dataset.decimals), signed: svg.dataset.signed === 'yes', onPick: null,
    };
  }

  const place = (value, [low, high], start, end) => start + Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (end - start);

  // About `count` round values inside the range, at least three.
  function ticks(range, count, whole) {
    const few = roundValues(range, count, whole);
    return few.length < 3 ? roundValues(range, 2 * count, whole) : few;
  }

  function roundValues([low, high], count, whole) {
    const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough || 1));
    let step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) || 10);
    if (whole) step = Math.max(1, Math.round(step));
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9 && found.length < 50; at++) found.push(at * step + 0);
    const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
    return found.map((value) => [value, decimals ? minus(value.toFixed(decimals)) : grouped(value)]);
  }

  // The same for the x axis: of whole numbers the last one is among them, in place of a round value too close to it.
  function ticksToEnd(range, count, whole) {
    const found = ticks(range, count, whole), end = Math.floor(range[1]);
    if (!whole || found.length < 2) return found;
    const apart = found[1][0] - found[0][0];
    return [...found.filter(([value]) => end - value >= apart / 2), [end, grouped(end)]];
  }

  // The points of a layer inside the range, with the points where it crosses the edges.
  function inside(xs, ys, [low, high]) {
    const points = [];
    const between = (at, x) => ys[at - 1] + (ys[at] - ys[at - 1]) * (x - xs[at - 1]) / (xs[at] - xs[at - 1] || 1);
    for (let at = 0; at < xs.length; at++) {
      if (at > 0 && xs[at - 1] < low && xs[at] >= low && xs[at] !== low) points.push([low, between(at, low)]);
      if (xs[at] >= low && xs[at] <= high) points.push([xs[at], ys[at]]);
      if (at > 0 && xs[at - 1] <= high && xs[at] > high && xs[at - 1] !== high) points.push([high, between(at, high)]);
    }
    return points;
  }

  // The part of a line between two points whose heights are inside the range, or null if none is.
  function between(from, to, [low, high]) {
    if (Math.min(from[1], to[1]) > high || Math.max(from[1], to[1]) < low) return null;
    const end = (point, other) => {
      const height = Math.min(high, Math.max(low, point[1]));
      return height === point[1] ? point : [point[0] + (height - point[1]) / (other[1] - point[1]) * (other[0] - point[0]), height];
    };
    return [end(from, to), end(to, from)];
  }

  function heights(chart, range) {
    const shown = chart.layers.filter((layer) => !layer.hidden);
    if (!chart.range && shown.length === chart.layers.length) return chart.fullY;
    const values = [];
    for (const layer of shown) {
      for (const ys of [layer.y, layer.low, layer.high]) if (layer.kind !== 'rule') for (const point of inside(layer.x, ys, range)) if (Number.isFinite(point[1])) values.push(point[1]);
      if (layer.kind === 'rule' && !chart.range) values.push(layer.y[0]);
    }
    if (!values.length) return chart.fullY;
    let low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
    if (chart.limit) [low, high] = [Math.max(low, chart.limit[0]), Math.min(high, chart.limit[1])];
    const margin = Math.max(high - low, 1e-9) * 0.06;
    return high > low ? [low - margin, high + margin] : [low - 1, high + 1];
  }

  function draw(chart) {
    const { svg, left, top, right, floor } = chart;
    const range = chart.range || chart.fullX, tall = heights(chart, range);
    const x = (value) => place(value, range, left, right), y = (value) => place(value, tall, floor, top);
    chart.scales = { x, y, range };
    const axes = svg.querySelector('g.axes'), small = right - left < 300;
    axes.replaceChildren();
    for (const [value, label] of ticks(tall, small ? 4 : 5, false)) {
      axes.append(element('line', { x1: left, x2: right, y1: y(value), y2: y(value), class: 'grid' }));
      axes.append(element('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end', class: 'soft' }, label));
    }
    for (const [value, label] of ticksToEnd(range, small ? 3 : 5, chart.whole)) {
      axes.append(element('line', { x1: x(value), x2: x(value), y1: floor, y2: floor + 4, class: 'axis' }));
      axes.append(element('text', { x: x(value), y: floor + 19, 'text-anchor': 'middle', class: 'soft' }, label));
    }
    axes.append(element('line', { x1: left, x2: right, y1: floor, y2: floor, class: 'axis' }));
    const known = (points) => points.filter((point) => Number.isFinite(point[1]));
    const at = (command, point) => command + x(point[0]).toFixed(1) + ' ' + y(point[1]).toFixed(1);
    const trace = (points) => known(points).map((point, place) => at(place ? 'L' : 'M', point)).join('');
    // A line is interrupted where it is outside the heights shown. Evaluations end at the edge, where mates are.
    const curve = (points) => {
      let text = '', reached = null;
      const ends = known(points);
      if (svg.dataset.mate || ends.length < 2) return trace(ends);
      for (let place = 1; place < ends.length; place++) {
        const part = between(ends[place - 1], ends[place], tall);
        if (!part) continue;
        const goesOn = reached && reached[0] === part[0][0] && reached[1] === part[0][1];
        text += (goesOn ? '' : at('M', part[0])) + at('L', part[1]);
        reached = part[1];
      }
      return text;
    };
    for (const layer of chart.layers) {
      layer.group.style.display = layer.hidden ? 'none' : '';
      if (layer.kind === 'rule') {
        const line = layer.group.querySelector('line'), at = y(layer.y[0]);
        if (layer.y[0] < tall[0] || layer.y[0] > tall[1]) layer.group.style.display = 'none';
        line.setAttribute('y1', at);
        line.setAttribute('y2', at);
        layer.end = at;
      } else {
        const path = layer.group.querySelector('path');
        const points = layer.kind === 'band' ? [...inside(layer.x, layer.high, range), ...inside(layer.x, layer.low, range).reverse()] : inside(layer.x, layer.y, range);
        const text = layer.kind === 'band' ? trace(points) : curve(points);
        // A path without a point is left out: an empty one is an error in SVG.
        if (text) path.setAttribute('d', layer.kind === 'band' ? text + 'Z' : text); else path.removeAttribute('d');
        layer.end = layer.kind === 'line' && points.length ? y(points[points.length - 1][1]) : null;
        // The label is the last value of the line, which may be outside the range.
        const label = layer.group.querySelector('text');
        if (label) label.style.display = range[1] < layer.x[layer.x.length - 1] ? 'none' : '';
      }
    }
    spreadLabels(chart);
    if (chart.onDraw) chart.onDraw();
  }

  // Puts the labels at the right edge beside their layers, apart from each other.
  function spreadLabels(chart) {
    const APART = 24;
    const labels = chart.layers.map((layer) => ({ layer, text: layer.group.querySelector('text') }))
      .filter(({ layer, text }) => text && layer.end !== null && layer.group.style.display !== 'none')
      .map((each) => ({ ...each, height: each.layer.end })).sort((one, other) => one.height - other.height);
    labels.forEach((label, at) => { if (at) label.height = Math.max(label.height, labels[at - 1].height + APART); });
    let lowest = chart.floor;
    for (const label of [...labels].reverse()) {
      label.height = Math.min(label.height, lowest);
      lowest = label.height - APART;
      label.text.setAttribute('y', label.height + 4);
    }
  }

  const state = (id) => { if (!kept.has(id)) kept.set(id, { range: null, hidden: new Set() }); return kept.get(id); };

  function zoom(chart, id, range) {
    const [low, high] = chart.fullX, least = chart.whole ? 2 : (high - low) / 1000;
    if (range) {
      range = [Math.max(low, range[0]), Math.min(high, range[1])];
      if (range[1] - range[0] < least) return;
      if (range[0] <= low && range[1] >= high) range = null;
    }
    chart.range = state(id).range = range;
    if (chart.reset) chart.reset.hidden = !range;
    hide(chart, chart.svg.closest('figure'));
    draw(chart);
  }

  // The value of x under the pointer, or null outside the plot.
  function under(chart, event) {
    const box = chart.svg.getBoundingClientRect(), view = chart.svg.viewBox.baseVal;
    const px = (event.clientX - box.left) * view.width / box.width, py = (event.clientY - box.top) * view.height / box.height;
    if (px < chart.left - 4 || px > chart.right + 4 || py < chart.top - 8 || py > chart.floor + 8) return null;
    const [low, high] = chart.range || chart.fullX;
    return Math.min(high, Math.max(low, low + (px - chart.left) / (chart.right - chart.left) * (high - low)));
  }

  function nearest(xs, value) {
    let low = 0, high = xs.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (xs[middle] <= value) low = middle; else high = middle; }
    return high >= 0 && Math.abs(xs[high] - value) < Math.abs(xs[low] - value) ? high : low;
  }

  function show(chart, figure, value) {
    const lines = chart.layers.filter((layer) => layer.kind !== 'rule' && !layer.hidden && layer.x.length);
    const first = lines.find((layer) => layer.kind === 'line') || lines[0];
    hide(chart, figure);
    if (!first || value === null) return;
    if (!chart.scales) chart.scales = { x: (v) => place(v, chart.fullX, chart.left, chart.right), y: (v) => place(v, chart.fullY, chart.floor, chart.top) };
    const { x, y } = chart.scales, at = first.x[nearest(first.x, value)];
    const mate = Number(chart.svg.dataset.mate);
    const text = (number) => mate && Math.abs(number) >= mate ? (number > 0 ? '+' : '\u2212') + 'mate' : (chart.signed && number > 0 ? '+' : '') + minus(number.toFixed(chart.decimals));
    const rows = [[chart.xName, chart.whole ? grouped(at) : String(at)]];
    const group = element('g', { class: 'cursor' });
    group.append(element('line', { x1: x(at), x2: x(at), y1: chart.top, y2: chart.floor, class: 'axis' }));
    for (const layer of lines) {
      const place = nearest(layer.x, value);
      if (layer.kind === 'band') rows.push([layer.name, `${text(layer.low[place])} to ${text(layer.high[place])}`]);
      else {
        rows.push([layer.name, text(layer.y[place])]);
        group.append(element('circle', { cx: x(layer.x[place]), cy: y(layer.y[place]), r: 4, class: layer.group.querySelector('path').getAttribute('class').replace('path', '').replace('t-', 'f-') }));
      }
    }
    chart.svg.append(group);
    tip(figure, rows, x(at) / chart.svg.viewBox.baseVal.width);
  }

  function hide(chart, figure) {
    for (const old of chart.svg.querySelectorAll('g.cursor')) old.remove();
    const shown = figure.querySelector('.tip');
    if (shown) shown.remove();
  }

  // A small table of names and values beside the cursor, at this share of the width.
  function tip(figure, rows, share) {
    const box = document.createElement('div');
    box.className = 'tip';
    box.setAttribute('role', 'status');
    for (const [name, value] of rows) {
      const row = document.createElement('div'), label = document.createElement('span'), number = document.createElement('b');
      label.textContent = name + ' ';
      number.textContent = value;
      row.append(label, number);
      box.append(row);
    }
    if (share < 0.5) box.style.left = `calc(${100 * share}% + 12px)`; else box.style.right = `calc(${100 - 100 * share}% + 12px)`;
    figure.append(box);
  }

  function listen(chart, figure) {
    const { svg } = chart, id = figure.id;
    let start = null, mark = null;
    const endDrag = () => { if (mark) mark.remove(); start = mark = null; };
    svg.addEventListener('pointerdown', (event) => {
      const value = under(chart, event);
      if (value === null || event.button !== 0 || event.pointerType === 'touch') return;
      start = value;
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    svg.addEventListener('pointermove', (event) => {
      const value = under(chart, event);
      show(chart, figure, value);
      if (start === null || value === null) return;
      if (mark) mark.remove();
      const [from, to] = [start, value].sort((a, b) => a - b).map(chart.scales.x);
      mark = element('rect', { x: from, y: chart.top, width: to - from, height: chart.floor - chart.top, class: 'marked' });
      svg.append(mark);
    });
    svg.addEventListener('pointerup', (event) => {
      const value = under(chart, event), from = start, dragged = mark && Number(mark.getAttribute('width')) > 6;
      endDrag();
      if (from !== null && value !== null && dragged) zoom(chart, id, [from, value].sort((a, b) => a - b));
      else if (from !== null && chart.onPick) chart.onPick(value);
    });
    svg.addEventListener('pointercancel', endDrag);
    svg.addEventListener('pointerleave', () => { if (start === null) hide(chart, figure); });
    svg.addEventListener('dblclick', () => zoom(chart, id, null));
    // The wheel alone scrolls the page.
    svg.addEventListener('wheel', (event) => {
      const value = under(chart, event);
      if (value === null || !(event.ctrlKey || event.shiftKey)) return;
      event.preventDefault();
      const [low, high] = chart.range || chart.fullX, factor = (event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8;
      zoom(chart, id, [value - (value - low) * factor, value + (high - value) * factor]);
      show(chart, figure, value);
    }, { passive: false });
    if (!figure.closest('.many')) {
      svg.tabIndex = 0;
      const cursor = chart.layers.find((layer) => layer.kind === 'line');
      let at = cursor ? cursor.x.length - 1 : 0;
      svg.addEventListener('keydown', (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step || !cursor || chart.onPick) return;
        at = Math.max(0, Math.min(cursor.x.length - 1, at + step));
        show(chart, figure, cursor.x[at]);
        event.preventDefault();
      });
      svg.addEventListener('blur', () => hide(chart, figure));
    }
  }

  // The colours of the light style sheet, written out: an image has no variables, and a paper is white.
  function lightStyle() {
    const rules = [];
    for (const sheet of document.styleSheets) for (const rule of sheet.cssRules) if (rule.selectorText && rule.selectorText.startsWith('.chart')) rules.push(rule.cssText);
    let text = rules.join('\n');
    const found = text.matchAll(/(--[a-z]+):\s*(#[0-9a-f]+)/g);
    for (const [, name, colour] of found) text = text.replaceAll(`var(${name})`, colour);
    return text.replace(/--[a-z]+:\s*#[0-9a-f]+;\s*/g, '');
  }

  function svgText(svg) {
    const copy = svg.cloneNode(true), { width, height } = svg.viewBox.baseVal;
    for (const each of copy.querySelectorAll('.cursor, .marked')) each.remove();
    copy.setAttribute('width', width);
    copy.setAttribute('height', height);
    copy.removeAttribute('tabindex');
    copy.prepend(element('style', {}, lightStyle()), element('rect', { width: '100%', height: '100%', fill: '#fff' }));
    return new XMLSerializer().serializeToString(copy);
  }

  function save(name, content) {
    const link = document.createElement('a');
    link.download = name;
    link.href = URL.createObjectURL(content);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function savePng(svg, name) {
    const image = new Image(), { width, height } = svg.viewBox.baseVal, SCALE = 2;
    image.addEventListener('load', () => {
      const canvas = document.createElement('canvas');
      canvas.width = width * SCALE;
      canvas.height = height * SCALE;
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((content) => save(name, content), 'image/png');
    });
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svgText(svg));
  }

  function addTools(figure, svg, chart) {
    if (figure.querySelector('.tools')) return;
    const tools = document.createElement('div');
    tools.className = 'tools';
    if (chart) {
      const named = chart.layers.filter((layer) => layer.name);
      if (named.length > 1) for (const layer of named) {
        const toggle = button(layer.name, `Show or hide: ${layer.name}`, () => {
          layer.hidden = !layer.hidden;
          const hidden = state(figure.id).hidden;
          if (layer.hidden) hidden.add(layer.name); else hidden.delete(layer.name);
          toggle.setAttribute('aria-pressed', String(!layer.hidden));
          draw(chart);
        });
        toggle.className = 'toggle ' + (layer.group.querySelector('path, line').getAttribute('class') || '');
        toggle.setAttribute('aria-pressed', String(!layer.hidden));
        tools.append(toggle);
      }
      chart.reset = button('Reset zoom', 'Show the whole chart', () => zoom(chart, figure.id, null));
      chart.reset.hidden = !chart.range;
      tools.append(chart.reset);
    }
    const name = figure.id || 'chart';
    tools.append(button('SVG', 'Save as SVG', () => save(name + '.svg', new Blob([svgText(svg)], { type: 'image/svg+xml' }))));
    tools.append(button('PNG', 'Save as PNG', () => savePng(svg, name + '.png')));
    svg.before(tools);
  }

  function enhance(figure) {
    const svg = figure.querySelector('svg.chart');
    if (!svg || svg.dataset.ready) return null;
    svg.dataset.ready = 'yes';
    // The browser would show these as its own slow tooltip.
    for (const title of svg.querySelectorAll('title')) {
      if (title.parentNode !== svg) title.parentNode.dataset.tip = title.textContent;
      title.remove();
    }
    svg.addEventListener('pointermove', (event) => {
      const part = event.target.closest('[data-tip]'), old = figure.querySelector('.tip');
      if (svg.dataset.plot) return;
      if (old) old.remove();
      if (part) { const box = svg.getBoundingClientRect(); tip(figure, [[part.dataset.tip, '']], (event.clientX - box.left) / box.width); }
    });
    svg.addEventListener('pointerleave', () => { const old = figure.querySelector('.tip'); if (old) old.remove(); });
    const chart = svg.dataset.plot ? read(svg) : null;
    if (chart) {
      const { range, hidden } = state(figure.id);
      for (const layer of chart.layers) layer.hidden = hidden.has(layer.name);
      chart.range = range;
      if (range || hidden.size) draw(chart);
      listen(chart, figure);
    }
    // A page of small charts would be full of buttons.
    if (figure.closest('.many')) figure.addEventListener('pointerenter', () => addTools(figure, svg, chart), { once: true });
    else addTools(figure, svg, chart);
    return chart;
  }

  return {
    element, button, grouped, minus, draw, enhance, save,
    enhanceAll: (root) => { for (const figure of root.querySelectorAll('figure')) enhance(figure); },
  };
})();
