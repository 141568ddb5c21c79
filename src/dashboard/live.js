'use strict';
(() => {
  const by = (id) => document.getElementById(id);
  const GLYPHS = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘', P: '♙', k: '♚', q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };

  // The token is the fragment of the URL. It is stored for this tab and removed from the address bar.
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  const token = sessionStorage.getItem('token');

  const make = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const clock = (seconds) => {
    const whole = Math.max(0, Math.round(seconds)), two = (number) => String(number).padStart(2, '0');
    return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  };

  function showStatus(status) {
    const phase = by('phase');
    phase.textContent = status.trouble ? `${status.phase}: ${status.trouble}` : status.phase;
    phase.className = status.trouble ? 'trouble' : '';
    const bar = by('progress');
    bar.hidden = !status.most;
    if (status.most) {
      bar.value = status.pairs / status.most;
      bar.setAttribute('aria-label', `${status.pairs} of ${status.most} pairs`);
    }
    const count = (number) => Number(number).toLocaleString('en-US');
    const pairs = (number) => number === 1 ? ' pair' : ' pairs';
    const words = [count(status.pairs) + (status.most ? ' of ' + count(status.most) : '') + pairs(status.most || status.pairs)];
    if (status.running) words.push(`${status.games_per_second} games per second`);
    words.push(`${clock(status.seconds)} played`);
    if (status.left !== null && status.left !== undefined) words.push(`${status.test ? 'at most ' : ''}${clock(status.left)} left`);
    if (status.concurrency) words.push(`concurrency ${status.concurrency}`);
    by('eta').textContent = words.join(' · ');
    by('steer').hidden = !token || !status.running;
    by('unarmed').hidden = Boolean(token) || !status.running;
    const wanted = by('concurrency');
    if (status.concurrency && document.activeElement !== wanted && !wanted.dataset.touched) wanted.value = status.concurrency;
  }

  const squares = new Map();

  function showBoards(games) {
    by('playing').hidden = !games.length;
    const holder = by('boards'), present = new Set(games.map((game) => game.slot));
    for (const [slot, shown] of squares) if (!present.has(slot)) { shown.figure.remove(); squares.delete(slot); }
    for (const game of games) {
      if (!squares.has(game.slot)) squares.set(game.slot, newBoard(holder));
      paint(squares.get(game.slot), game);
    }
  }

  function newBoard(holder) {
    const figure = make('figure'), caption = make('figcaption'), board = make('div', 'board');
    board.setAttribute('role', 'img');
    const cells = Array.from({ length: 64 }, (_, at) => make('span', (at % 8 + Math.floor(at / 8)) % 2 ? 'dark' : 'light'));
    board.append(...cells);
    figure.append(caption, board);
    holder.append(figure);
    return { figure, caption, board, cells };
  }

  function paint(shown, game) {
    const pieces = [];
    for (const row of game.fen.split(' ')[0].split('/')) for (const letter of row) {
      if (letter >= '1' && letter <= '8') pieces.push(...Array(Number(letter)).fill(''));
      else pieces.push(letter);
    }
    const marked = new Set();
    if (game.last) for (const at of [0, 2]) marked.add(game.last.charCodeAt(at) - 97 + 8 * (56 - game.last.charCodeAt(at + 1)));
    shown.cells.forEach((cell, at) => {
      const glyph = GLYPHS[pieces[at]] || '';
      if (cell.textContent !== glyph) cell.textContent = glyph;
      const look = marked.has(at) ? 'last' : (at % 8 + Math.floor(at / 8)) % 2 ? 'dark' : 'light';
      if (cell.className !== look) cell.className = look;
    });
    const whiteToMove = game.fen.split(' ')[1] === 'w';
    const side = (name, at, moving) => {
      let text = (at ? '● ' : '○ ') + name;
      if (game.clocks_ms[at] !== null) text += ' ' + clock((game.clocks_ms[at] - (moving ? game.since_ms : 0)) / 1000);
      return make('span', moving ? 'to-move' : '', text);
    };
    const move = game.last ? `${Math.ceil(game.plies / 2)}. ${game.last}` : 'start';
    shown.caption.replaceChildren(
      side(game.white, 0, whiteToMove), make('br'), side(game.black, 1, !whiteToMove), make('br'),
      `game ${game.round} · ${move}${game.score ? ' · ' + game.score : ''}`);
    shown.board.setAttribute('aria-label', `game ${game.round}, ${game.white} against ${game.black}, ${move}: ${game.fen}`);
  }

  function showNews(news) {
    by('feed').hidden = !news.length;
    by('news').replaceChildren(...news.map((each) => {
      const line = make('li');
      if (each.at) line.append(make('time', '', new Date(each.at).toISOString().slice(0, 19).replace('T', ' ')), ' ');
      line.append(each.text);
      if (each.bundle) {
        const link = make('a', '', each.bundle);
        link.href = 'faults/' + encodeURIComponent(each.bundle);
        line.append(' ', link);
      }
      return line;
    }));
  }

  function showPart(id, html) {
    let part = by(id);
    if (!part) {
      part = make('section');
      part.id = id;
      by('parts').append(part);
    }
    // The server escapes all external text, and the policy runs no script inside markup.
    part.innerHTML = html;
  }

  const shows = { status: showStatus, boards: showBoards, news: showNews };
  function connect() {
    const source = new EventSource('events');
    source.addEventListener('message', (event) => {
      const parts = JSON.parse(event.data);
      for (const id in parts) shows[id] ? shows[id](parts[id]) : showPart(id, parts[id]);
      document.body.dataset.connected = 'yes';
    });
    source.addEventListener('error', () => {
      document.body.dataset.connected = 'no';
      // A browser reconnects on its own if the server does not answer, but not if the server refused.
      const refused = source.readyState === EventSource.CLOSED;
      if (refused) setTimeout(connect, 4000);
      const why = refused ? 'The server has too many watchers' : 'The server does not answer';
      const phase = by('phase');
      if (phase) phase.textContent = why + '; the last known state is below. Reconnecting…';
      if (by('steer')) by('steer').hidden = true;
    });
  }
  connect();

  if (!by('steer')) return;
  by('concurrency').addEventListener('input', (event) => { event.target.dataset.touched = 'yes'; });
  for (const button of document.querySelectorAll('[data-order]')) {
    button.addEventListener('click', async () => {
      let order = button.dataset.order;
      if (order === 'stop' && !confirm('Finish the games in play and stop? The run can be resumed.')) return;
      if (order === 'concurrency') order += ' ' + by('concurrency').value;
      const answer = by('answer');
      try {
        const reply = await fetch('control', { method: 'POST', headers: { 'x-playself-token': token }, body: order });
        const result = reply.ok ? await reply.json() : { error: (await reply.text()).trim() };
        answer.textContent = result.error ? result.error : 'done';
        if (!result.error) delete by('concurrency').dataset.touched;
      } catch (why) {
        answer.textContent = String(why);
      }
    });
  }
})();
