// The viewer of a game: board, move list and evaluations. It shows finished games, and on the live page those in progress.
Page.viewer = (root) => {
  const { element, grouped, minus } = Page.charts;
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const MATE = 32000, MOST_PAWNS = 10;
  let game = null, line = [], ply = 0, flipped = false, rows = [], chart = null;

  const isLive = () => game.s === '*';
  const blackFirst = () => game.f.split(' ')[1] === 'b' ? 1 : 0;
  const isKnown = (value) => value !== null && value !== undefined;
  const firstNumber = () => Number(game.f.split(' ')[5]) || 1;

  function pawns(cp) {
    if (!isKnown(cp)) return '';
    if (Math.abs(cp) >= MATE) return cp > 0 ? '+mate' : '\u2212mate';
    return (cp > 0 ? '+' : '') + minus((cp / 100).toFixed(2));
  }
  const seconds = (ms) => !isKnown(ms) ? '' : ms < 10000 ? (ms / 1000).toFixed(3) + ' s' : (ms / 1000).toFixed(1) + ' s';
  const at = (column, place) => column && isKnown(column[place]) ? column[place] : null;

  // The number of a half-move as books write it: `12.` or `12…`.
  function numbered(place) {
    const half = place + blackFirst();
    return `${firstNumber() + (half >> 1)}${half % 2 ? '…' : '.'}`;
  }

  function show() {
    const here = line[ply], san = ply ? `${numbered(ply - 1)} ${game.n[ply - 1] || ''}` : 'start';
    Page.board.paint(part('board'), here, flipped, ply ? 'after ' + san : 'at the start');
    const place = ply - 1, stated = [];
    if (ply) {
      const value = at(game.v, place), depth = at(game.d, place), nodes = at(game.k, place), time = at(game.t, place);
      if (place < game.x) stated.push('book');
      if (value !== null) stated.push(pawns(value));
      if (depth !== null) stated.push('depth ' + depth);
      if (time !== null) stated.push(seconds(time));
      if (nodes !== null) stated.push(grouped(nodes) + ' nodes');
    }
    part('ply').textContent = [`${ply} / ${line.length - 1}`, san, ...stated].join(' · ');
    rows.forEach((row, index) => row.classList.toggle('now', index === place));
    const pane = part('moves').closest('.scroll'), row = rows[place];
    if (row && pane.scrollHeight > pane.clientHeight) {
      if (row.offsetTop < pane.scrollTop + 30) pane.scrollTop = row.offsetTop - 30;
      else if (row.offsetTop + row.offsetHeight > pane.scrollTop + pane.clientHeight) pane.scrollTop = row.offsetTop + row.offsetHeight - pane.clientHeight;
    }
    markPly();
  }

  function row(place) {
    const made = document.createElement('tr');
    const depth = at(game.d, place), nodes = at(game.k, place);
    const cells = [`${numbered(place)} ${game.n[place] || ''}`, place < game.x ? 'book' : pawns(at(game.v, place)), depth === null ? '' : depth, seconds(at(game.t, place)), nodes === null ? '' : grouped(nodes)];
    cells.forEach((text, index) => {
      const cell = document.createElement('td');
      if (index) cell.className = 'n';
      cell.textContent = text;
      made.append(cell);
    });
    made.addEventListener('click', () => step(place + 1));
    return made;
  }

  function writeMoves() {
    rows = line.slice(1).map((_, place) => row(place));
    const table = part('moves');
    table.tBodies[0].replaceChildren(...rows);
    // A game by nodes has no times, an engine may report no nodes.
    ['v', 'd', 't', 'k'].forEach((key, index) => table.classList.toggle('no-' + (index + 2), !(game[key] || []).some(isKnown)));
  }

  function layer(kind, name, style, xs, ys) {
    const group = element('g', { class: 'layer', 'data-kind': kind, 'data-name': name, 'data-x': xs.join(' '), 'data-y': ys.join(' ') });
    group.append(kind === 'rule' ? element('line', { x1: 60, x2: 700, class: style }) : element('path', { class: style }));
    return group;
  }

  function drawEvals() {
    const figure = part('evals'), values = game.v || [];
    chart = null;
    if (!values.some(isKnown)) { figure.replaceChildren(); figure.append('No evaluation was reported.'); return; }
    const count = Math.max(2, line.length - 1), first = blackFirst();
    const largest = Math.max(...values.filter(isKnown).map((cp) => Math.abs(cp) / 100));
    const reach = Math.max(1, Math.min(MOST_PAWNS, largest)) * 1.06;
    const svg = element('svg', {
      viewBox: '0 0 720 266', role: 'img', class: 'chart', 'data-plot': '60 42 700 216', 'data-x-range': `0 ${count}`, 'data-y-range': `${-reach} ${reach}`,
      'data-y-limit': `${-reach} ${reach}`, 'data-whole': 'yes', 'data-x-name': 'half-move', 'data-decimals': 2, 'data-signed': 'yes', 'data-mate': MATE / 100,
      'aria-label': `Evaluations of ${game.w} (White) and ${game.b} (Black) in pawns over ${count} half-moves, positive if White is better`,
    });
    svg.append(element('g', { class: 'axes' }), element('text', { x: 4, y: 18, class: 'soft' }, 'pawns, + White is better'), element('text', { x: 380, y: 260, class: 'soft', 'text-anchor': 'middle' }, 'half-moves'));
    svg.append(layer('rule', '', 'axis', [], [0]));
    [[game.w + ' (White)', 'path t-main'], [game.b + ' (Black)', 'path t-second dashed']].forEach(([name, style], side) => {
      const places = values.map((_, place) => place).filter((place) => (place + first) % 2 === side && isKnown(values[place]));
      svg.append(layer('line', name, style, places.map((place) => place + 1), places.map((place) => values[place] / 100)));
    });
    svg.append(element('line', { y1: 42, y2: 216, class: 'now-line' }));
    figure.replaceChildren(svg);
    chart = Page.charts.enhance(figure);
    Page.charts.draw(chart);
    chart.onPick = (x) => step(Math.round(x));
    chart.onDraw = markPly;
  }

  function markPly() {
    if (!chart) return;
    const mark = chart.svg.querySelector('.now-line'), [low, high] = chart.range || chart.fullX;
    mark.setAttribute('visibility', ply >= low && ply <= high ? 'visible' : 'hidden');
    for (const end of ['x1', 'x2']) mark.setAttribute(end, chart.scales.x(ply));
  }

  function clocks() {
    for (const [name, side] of [['white', 0], ['black', 1]]) {
      const left = game.c && isKnown(game.c[side]) ? clockText(game.c[side]) : '';
      part(name).replaceChildren(game[side ? 'b' : 'w'], document.createElement('span'));
      part(name).lastElementChild.textContent = left;
      part(name).lastElementChild.className = 'clock';
    }
  }

  function clockText(ms) {
    const left = Math.max(0, ms) / 1000;
    if (left < 60) return left.toFixed(1);
    const two = (number) => String(number).padStart(2, '0');
    const minutes = Math.floor(left / 60), rest = two(Math.floor(left % 60));
    return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
  }

  function open(shown) {
    const follows = game && isLive() && game.r === shown.r && ply === line.length - 1;
    const stays = game && game.r === shown.r;
    game = { ...shown, n: shown.n ? shown.n.split(' ') : [], x: shown.x || 0 };
    line = Page.board.line(game.f, game.m);
    // A finished game opens where the engines began to think, a game in progress at its end.
    const opens = isLive() ? line.length - 1 : game.x;
    ply = Math.min(follows ? line.length - 1 : stays ? ply : opens, line.length - 1);
    const result = isLive() ? 'in progress' : `${game.s} (${Page.reason(game.e)})`;
    part('who').textContent = `${game.r}: ${game.w} – ${game.b} ${result}`;
    part('game').hidden = false;
    clocks();
    writeMoves();
    drawEvals();
    show();
  }

  const step = (to) => { if (game) { ply = Math.max(0, Math.min(line.length - 1, to)); show(); } };
  const turns = { first: () => step(0), back: () => step(ply - 1), forward: () => step(ply + 1), last: () => step(Infinity), flip: () => { flipped = !flipped; part('game').classList.toggle('flipped', flipped); show(); } };
  for (const name in turns) part(name).addEventListener('click', turns[name]);
  root.addEventListener('keydown', (event) => {
    const keys = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' };
    if (event.key in keys && event.target.tagName !== 'INPUT' && event.target.tagName !== 'SELECT') { turns[keys[event.key]](); event.preventDefault(); }
  });
  return { open, report: (text) => { part('who').textContent = text; }, focus: () => { root.scrollIntoView({ block: 'nearest' }); part('board').focus({ preventScroll: true }); }, round: () => game && game.r, showClocks: (left) => { game.c = left; clocks(); } };
};
