'use strict';
(() => {
  const games = JSON.parse(document.getElementById('games').textContent);
  const by = (id) => document.getElementById(id);
  if (!games.length) { by('viewer').hidden = true; return; }
  const GLYPHS = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘', P: '♙', k: '♚', q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };
  const square = (text) => text.charCodeAt(0) - 97 + 8 * (text.charCodeAt(1) - 49);

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

  function play(board, move) {
    const from = square(move), to = square(move.slice(2)), next = board.slice();
    const piece = board[from], target = board[to], white = piece === piece.toUpperCase();
    const own = target && (target === target.toUpperCase()) === white;
    const rank = from - from % 8;
    next[from] = '';
    if (piece.toLowerCase() === 'k' && (own || Math.abs(from % 8 - to % 8) === 2 && !target)) {
      // Castling: king takes its own rook in Chess960 spelling, or walks two files.
      const kingside = to > from;
      let rook = to;
      if (!own) rook = rank + (kingside ? 7 : 0);
      next[rook] = '';
      next[rank + (kingside ? 6 : 2)] = piece;
      next[rank + (kingside ? 5 : 3)] = white ? 'R' : 'r';
      return { board: next, from, to };
    }
    if (piece.toLowerCase() === 'p' && from % 8 !== to % 8 && !target) next[rank + to % 8] = '';
    next[to] = move.length > 4 ? (white ? move[4].toUpperCase() : move[4].toLowerCase()) : piece;
    return { board: next, from, to };
  }

  let game, line, ply;

  function show() {
    const here = line[ply], board = by('board');
    board.replaceChildren();
    for (let rank = 7; rank >= 0; rank--) for (let file = 0; file < 8; file++) {
      const cell = document.createElement('span'), at = 8 * rank + file;
      cell.className = at === here.from || at === here.to ? 'last' : (rank + file) % 2 ? 'light' : 'dark';
      cell.textContent = GLYPHS[here.board[at]] || '';
      board.append(cell);
    }
    const moves = game.m ? game.m.split(' ') : [];
    board.setAttribute('aria-label', ply ? 'board after ' + moves[ply - 1] : 'board at the start');
    const value = ply ? game.v[ply - 1] : null;
    const said = value === null || value === undefined ? '' : Math.abs(value) >= 32000 ? (value > 0 ? ' · White mates' : ' · Black mates') : ' · ' + (value / 100).toFixed(2);
    by('ply').textContent = ply + ' / ' + moves.length + said;
    const told = by('moves');
    told.replaceChildren();
    moves.forEach((move, at) => {
      const word = document.createElement(at === ply - 1 ? 'b' : 'span');
      word.textContent = move + ' ';
      told.append(word);
    });
    drawEvals();
  }

  function drawEvals() {
    if (game.v.every((cp) => cp === null)) { by('evals').textContent = 'No engine told an evaluation.'; return; }
    const WIDTH = 720, HEIGHT = 200, TOP = 30, BOTTOM = 30, count = Math.max(1, game.v.length), LIMIT = 600;
    const ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg');
    const add = (name, attributes, text) => {
      const node = document.createElementNS(ns, name);
      for (const key in attributes) node.setAttribute(key, attributes[key]);
      if (text) node.textContent = text;
      svg.append(node);
    };
    svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', 'evaluations of both engines from White\'s side, in pawns');
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    const x = (at) => 46 + (WIDTH - 56) * at / count;
    const y = (cp) => middle - Math.max(-LIMIT, Math.min(LIMIT, cp)) / LIMIT * (middle - TOP - 6);
    for (const pawns of [-6, 0, 6]) {
      add('line', { x1: 46, x2: WIDTH - 10, y1: y(pawns * 100), y2: y(pawns * 100), class: 'zero' });
      add('text', { x: 38, y: y(pawns * 100) + 5, 'text-anchor': 'end' }, (pawns > 0 ? '+' : pawns < 0 ? '\u2212' : '') + Math.abs(pawns));
    }
    const short = (name) => name.length > 22 ? name.slice(0, 21) + '…' : name;
    add('text', { x: 4, y: 16 }, 'pawns');
    add('text', { x: 90, y: 16, class: 'white' }, '— ' + short(game.w));
    add('text', { x: WIDTH - 10, y: 16, class: 'black', 'text-anchor': 'end' }, '— ' + short(game.b));
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

  function open(index) {
    game = games[index];
    let here = { board: fromFen(game.f), from: -1, to: -1 };
    line = [here];
    for (const move of game.m ? game.m.split(' ') : []) line.push(here = play(here.board, move));
    ply = line.length - 1;
    by('who').textContent = `${game.w} – ${game.b}: ${game.s} (${game.e.replaceAll('_', ' ')})`;
    show();
  }

  const step = (to) => { ply = Math.max(0, Math.min(line.length - 1, to)); show(); };
  const pick = by('pick');
  games.forEach((each, index) => pick.append(new Option(`${each.r}  ${each.w} – ${each.b}  ${each.s}`, index)));
  pick.addEventListener('change', () => open(Number(pick.value)));
  by('first').addEventListener('click', () => step(0));
  by('back').addEventListener('click', () => step(ply - 1));
  by('forward').addEventListener('click', () => step(ply + 1));
  by('last').addEventListener('click', () => step(Infinity));
  by('viewer').addEventListener('keydown', (event) => {
    const keys = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
    if (event.target !== pick && event.key in keys) { step(keys[event.key]); event.preventDefault(); }
  });
  open(0);
})();
