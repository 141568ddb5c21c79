'use strict';
(() => {
  const by = (id) => document.getElementById(id);
  const pick = by('pick');
  if (!pick) return;
  // A report contains its games; a live page requests them from the server.
  const carried = by('games') && JSON.parse(by('games').textContent);
  const GLYPHS = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘', P: '♙', k: '♚', q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };
  const square = (text) => text.charCodeAt(0) - 97 + 8 * (text.charCodeAt(1) - 49);
  const nameOf = (at) => 'abcdefgh'[at % 8] + (1 + (at >> 3));
  const isWhite = (piece) => piece === piece.toUpperCase();

  function fromFen(fen) {
    const board = new Array(64).fill('');
    fen.split(' ')[0].split('/').forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= '1' && letter <= '8') file += Number(letter);
        else board[8 * (7 - down) + file++] = letter;
      }
    });
    return board;
  }

  // Plays a move in coordinate notation. Returns the new board, the squares to mark and the move as text.
  function play(board, move) {
    const from = square(move), to = square(move.slice(2)), next = board.slice();
    const piece = board[from], target = board[to], white = isWhite(piece), kind = piece.toUpperCase();
    const own = target && isWhite(target) === white;
    const rank = from - from % 8;
    next[from] = '';
    if (kind === 'K' && (own || Math.abs(from % 8 - to % 8) === 2 && !target)) {
      // Castling: the king captures its own rook (Chess960 notation) or moves two files.
      const kingside = to > from;
      let rook = to;
      if (!own) rook = rank + (kingside ? 7 : 0);
      next[rook] = '';
      next[rank + (kingside ? 6 : 2)] = piece;
      next[rank + (kingside ? 5 : 3)] = white ? 'R' : 'r';
      return { board: next, from, to, text: kingside ? 'O-O' : 'O-O-O' };
    }
    const enPassant = kind === 'P' && from % 8 !== to % 8 && !target;
    if (enPassant) next[rank + to % 8] = '';
    const promoted = move.length > 4 ? move[4].toUpperCase() : '';
    next[to] = promoted ? (white ? promoted : promoted.toLowerCase()) : piece;
    const text = (kind === 'P' ? '' : kind) + nameOf(from) + (target || enPassant ? '×' : '–') + nameOf(to) + (promoted && '=' + promoted);
    return { board: next, from, to, text };
  }

  let game, line, ply, words;

  // All pieces with their squares, for screen readers.
  function inWords(board) {
    const side = (white) => board
      .map((piece, at) => piece && isWhite(piece) === white ? piece.toUpperCase().replace('P', '') + nameOf(at) : '')
      .filter(Boolean).sort().join(' ');
    return `White ${side(true)}; Black ${side(false)}`;
  }

  function show() {
    const here = line[ply], board = by('board');
    board.replaceChildren();
    for (let rank = 7; rank >= 0; rank--) for (let file = 0; file < 8; file++) {
      const cell = document.createElement('span'), at = 8 * rank + file;
      cell.className = at === here.from || at === here.to ? 'last' : (rank + file) % 2 ? 'light' : 'dark';
      cell.textContent = GLYPHS[here.board[at]] || '';
      if (rank === 0) cell.dataset.file = 'abcdefgh'[file];
      if (file === 0) cell.dataset.rank = rank + 1;
      board.append(cell);
    }
    board.setAttribute('aria-label', `${ply ? 'after ' + here.text : 'at the start'}: ${inWords(here.board)}`);
    const value = ply ? game.v[ply - 1] : null;
    const evaluation = value === null || value === undefined ? '' : Math.abs(value) >= 32000 ? (value > 0 ? ' · White mates' : ' · Black mates')
      : ' · ' + (value > 0 ? '+' : value < 0 ? '\u2212' : '') + (Math.abs(value) / 100).toFixed(2);
    by('ply').textContent = `${ply} / ${line.length - 1}${evaluation}`;
    words.forEach((word, at) => { word.className = at === ply - 1 ? 'now' : ''; });
    drawEvals();
  }

  function writeMoves() {
    const [, turn, , , , number] = game.f.split(' ');
    const list = by('moves'), blackFirst = turn === 'b' ? 1 : 0, first = Number(number) || 1;
    list.replaceChildren();
    words = line.slice(1).map((here, at) => {
      const half = at + blackFirst;
      if (half % 2 === 0) list.append(`${first + half / 2}.\u00a0`);
      else if (at === 0) list.append(`${first}…\u00a0`);
      const word = document.createElement('span');
      word.textContent = here.text;
      word.addEventListener('click', () => step(at + 1));
      list.append(word, ' ');
      return word;
    });
  }

  function drawEvals() {
    if (game.v.every((cp) => cp === null)) { by('evals').textContent = 'No engine sent an evaluation.'; return; }
    const WIDTH = 720, HEIGHT = 220, LEFT = 56, TOP = 36, BOTTOM = 50, count = Math.max(1, game.v.length), LIMIT = 600;
    const ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg');
    const add = (name, attributes, text) => {
      const node = document.createElementNS(ns, name);
      for (const key in attributes) node.setAttribute(key, attributes[key]);
      if (text) node.textContent = text;
      svg.append(node);
    };
    svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute('role', 'img');
    const pawns = (cp) => Math.abs(cp) >= 32000 ? (cp > 0 ? 'White mates' : 'Black mates') : (cp / 100).toFixed(2);
    const known = game.v.filter((cp) => cp !== null);
    svg.setAttribute('aria-label', `Evaluations of both engines from White's side, in pawns, over ${count} half-moves: ` +
      `from ${pawns(known[0])} to ${pawns(known[known.length - 1])}`);
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    const x = (at) => LEFT + (WIDTH - LEFT - 10) * at / count;
    const y = (cp) => middle - Math.max(-LIMIT, Math.min(LIMIT, cp)) / LIMIT * (middle - TOP - 6);
    for (const level of [-6, -3, 0, 3, 6]) {
      add('line', { x1: LEFT, x2: WIDTH - 10, y1: y(level * 100), y2: y(level * 100), class: level ? 'grid' : 'zero' });
      if (level % 6 === 0) add('text', { x: LEFT - 8, y: y(level * 100) + 5, 'text-anchor': 'end' }, (level > 0 ? '+' : level < 0 ? '\u2212' : '') + Math.abs(level));
    }
    const every = [10, 20, 50, 100, 200, 500].find((step) => count / step <= 8) || 1000;
    for (let at = 0; at <= count; at += every) {
      add('line', { x1: x(at), x2: x(at), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 5, class: 'zero' });
      add('text', { x: x(at), y: HEIGHT - BOTTOM + 20, 'text-anchor': 'middle' }, String(at));
    }
    const short = (name) => name.length > 20 ? name.slice(0, 19) + '…' : name;
    add('text', { x: 4, y: 18 }, 'pawns');
    add('text', { x: LEFT + 44, y: 18, class: 'white' }, '— ' + short(game.w));
    add('text', { x: WIDTH - 10, y: 18, class: 'black', 'text-anchor': 'end' }, '┄ ' + short(game.b));
    add('text', { x: WIDTH / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, 'half-moves');
    const blackFirst = game.f.split(' ')[1] === 'b' ? 1 : 0;
    for (const side of [0, 1]) {
      let path = '';
      game.v.forEach((cp, at) => {
        if ((at + blackFirst) % 2 !== side || cp === null) return;
        path += (path ? 'L' : 'M') + x(at + 1).toFixed(1) + ' ' + y(cp).toFixed(1);
      });
      if (path) add('path', { d: path, class: side ? 'black' : 'white' });
    }
    add('line', { x1: x(ply), x2: x(ply), y1: TOP, y2: HEIGHT - BOTTOM, class: 'now' });
    by('evals').replaceChildren(svg);
  }

  function open(shown) {
    game = shown;
    let here = { board: fromFen(game.f), from: -1, to: -1 };
    line = [here];
    for (const move of game.m ? game.m.split(' ') : []) line.push(here = play(here.board, move));
    ply = line.length - 1;
    by('who').textContent = `${game.r}: ${game.w} – ${game.b} ${game.s} (${game.e.replaceAll('_', ' ')})`;
    by('game').hidden = false;
    writeMoves();
    show();
  }

  // Opens the game `pair.game`; a pair without a game means its first one.
  async function find(text) {
    const wanted = text.trim().replaceAll(',', ''), round = wanted.includes('.') ? wanted : wanted + '.1';
    if (!/^\d+\.[12]$/.test(round)) { by('who').textContent = 'Enter the number of a pair and 1 or 2, such as 12.1'; return false; }
    if (carried) {
      const index = carried.findIndex((each) => each.r === round);
      if (index < 0) { by('who').textContent = `Game ${round} is not in this page; playself report RUN_DIR --game ${round} adds it.`; return false; }
      pick.value = index;
      open(carried[index]);
      return true;
    }
    try {
      const reply = await fetch('game/' + round);
      if (!reply.ok) { by('who').textContent = (await reply.text()).trim(); return false; }
      open(await reply.json());
      by('wanted').value = round;
      return true;
    } catch (why) {
      by('who').textContent = String(why);
      return false;
    }
  }

  const step = (to) => { if (line) { ply = Math.max(0, Math.min(line.length - 1, to)); show(); } };
  if (carried) {
    carried.forEach((each, index) => pick.append(new Option(`${each.r}  ${each.w} – ${each.b}  ${each.s}`, index)));
    pick.addEventListener('change', () => open(carried[Number(pick.value)]));
  } else {
    pick.hidden = by('pick-label').hidden = true;
  }
  by('show').addEventListener('click', () => find(by('wanted').value));
  by('wanted').addEventListener('keydown', (event) => { if (event.key === 'Enter') find(by('wanted').value); });
  by('first').addEventListener('click', () => step(0));
  by('back').addEventListener('click', () => step(ply - 1));
  by('forward').addEventListener('click', () => step(ply + 1));
  by('last').addEventListener('click', () => step(Infinity));
  by('viewer').addEventListener('keydown', (event) => {
    const keys = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
    if (event.target !== pick && event.target !== by('wanted') && event.key in keys) { step(keys[event.key]); event.preventDefault(); }
  });
  // Tables link to games as #game-12.1.
  const follow = async () => {
    const wanted = location.hash.match(/^#game-(.+)$/);
    if (wanted && await find(wanted[1])) { by('viewer').scrollIntoView(); by('board').focus({ preventScroll: true }); }
  };
  addEventListener('hashchange', follow);
  if (carried && carried.length) open(carried[0]);
  else if (carried) by('viewer').hidden = true;
  follow();
})();
