// Boards: positions from FEN and moves in coordinates, drawn as SVG with the pieces of the page.
Page.board = (() => {
  const { element } = Page.charts;
  const SQUARE = 45;
  const square = (text) => text.charCodeAt(0) - 97 + 8 * (text.charCodeAt(1) - 49);
  const nameOf = (at) => 'abcdefgh'[at % 8] + (1 + (at >> 3));
  const isWhite = (piece) => piece === piece.toUpperCase();

  // The pieces of a position, a1 first; '' for an empty square.
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

  // Moves without separators: four characters each, and a capital for a promotion.
  const split = (moves) => moves.match(/[a-h][1-8][a-h][1-8][QRBN]?/g) || [];

  // Plays a move. Returns the new board and the squares to mark.
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
      return { board: next, from, to };
    }
    if (kind === 'P' && from % 8 !== to % 8 && !target) next[rank + to % 8] = '';
    const promoted = move.length > 4 ? move[4] : '';
    next[to] = promoted ? (white ? promoted.toUpperCase() : promoted.toLowerCase()) : piece;
    return { board: next, from, to };
  }

  // All positions of a game, the start first.
  function line(fen, moves) {
    let here = { board: fromFen(fen), from: -1, to: -1 };
    const all = [here];
    for (const move of split(moves)) all.push(here = play(here.board, move));
    return all;
  }

  // All pieces with their squares, for screen readers.
  function inWords(board) {
    const side = (white) => board
      .map((piece, at) => piece && isWhite(piece) === white ? piece.toUpperCase().replace('P', '') + nameOf(at) : '')
      .filter(Boolean).sort().join(' ');
    return `White ${side(true)}; Black ${side(false)}`;
  }

  // Draws a position into an element, seen from White, or from Black if it is flipped. Squares that did not change are kept.
  function paint(holder, here, flipped, label) {
    let svg = holder.firstElementChild;
    if (!svg || svg.dataset.flipped !== String(flipped)) {
      svg = element('svg', { viewBox: '0 0 360 360', role: 'img', class: 'squares', 'data-flipped': flipped });
      for (let row = 0; row < 8; row++) for (let column = 0; column < 8; column++) {
        const at = flipped ? 8 * row + 7 - column : 8 * (7 - row) + column;
        const look = (row + column) % 2 ? 'dark' : 'light';
        svg.append(element('rect', { x: SQUARE * column, y: SQUARE * row, width: SQUARE, height: SQUARE, class: look, 'data-look': look, 'data-at': at }));
        if (column === 0) svg.append(element('text', { x: 2, y: SQUARE * row + 10 }, nameOf(at)[1]));
        if (row === 7) svg.append(element('text', { x: SQUARE * column + SQUARE - 7, y: 357 }, nameOf(at)[0]));
      }
      svg.append(element('g', { class: 'men' }));
      holder.replaceChildren(svg);
    }
    for (const cell of svg.querySelectorAll('rect')) {
      const at = Number(cell.dataset.at), look = at === here.from || at === here.to ? 'last' : cell.dataset.look;
      if (cell.getAttribute('class') !== look) cell.setAttribute('class', look);
    }
    const men = svg.querySelector('.men');
    men.replaceChildren();
    here.board.forEach((piece, at) => {
      if (!piece) return;
      const column = flipped ? 7 - at % 8 : at % 8, row = flipped ? at >> 3 : 7 - (at >> 3);
      men.append(element('use', { href: '#piece-' + piece.toLowerCase(), x: SQUARE * column, y: SQUARE * row, width: SQUARE, height: SQUARE, class: isWhite(piece) ? 'man-w' : 'man-b' }));
    });
    svg.setAttribute('aria-label', `${label}: ${inWords(here.board)}`);
  }

  return { fromFen, line, paint, split };
})();
