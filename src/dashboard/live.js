'use strict';
// The live pages: the list of runs, and one run with its games in progress. The server sends the parts that changed.
(() => {
  const by = (id) => document.getElementById(id);

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
  const duration = (seconds) => {
    const whole = Math.max(0, Math.round(seconds)), two = (number) => String(number).padStart(2, '0');
    return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  };

  let isRunning = false;

  function showStatus(status) {
    const phase = by('phase');
    phase.textContent = status.trouble ? `${status.phase}: ${status.trouble}` : status.phase;
    phase.className = status.trouble ? 'trouble' : '';
    const bar = by('progress');
    bar.hidden = !status.most || status.phase === 'finished';
    if (status.most) {
      bar.value = status.pairs / status.most;
      bar.setAttribute('aria-label', `${status.pairs} of ${status.most} pairs`);
    }
    const count = (number) => Number(number).toLocaleString('en-US');
    const pairs = (number) => number === 1 ? ' pair' : ' pairs';
    const words = [count(status.pairs) + (status.most ? ' of ' + count(status.most) : '') + pairs(status.most || status.pairs)];
    if (status.running && status.games_per_second) words.push(`${status.games_per_second} games per second`);
    words.push(`${duration(status.seconds)} played`);
    if (status.left !== null && status.left !== undefined) words.push(`${status.test ? 'at most ' : ''}${duration(status.left)} left`);
    if (status.concurrency) words.push(`concurrency ${status.concurrency}`);
    if (status.waits_for) {
      const [pair, worker] = status.waits_for;
      words.push(`${count(status.playing)}${pairs(status.playing)} in flight`);
      words.push(`waits for pair ${pair + 1}${worker ? ' on ' + worker : ''}`);
    }
    by('eta').textContent = words.join(' · ');
    isRunning = Boolean(status.running);
    document.body.classList.toggle('running', isRunning);
    showFeed();
    by('steer').hidden = !token || !status.running;
    by('unarmed').hidden = Boolean(token) || !status.running;
    // Only what would change something can be pressed.
    const possible = { pause: status.phase === 'playing', continue: status.phase === 'paused', stop: status.phase === 'playing' || status.phase === 'paused' };
    for (const order in possible) document.querySelector(`[data-order=${order}]`).disabled = !possible[order];
    const wanted = by('concurrency');
    if (status.concurrency && document.activeElement !== wanted && !wanted.dataset.touched) wanted.value = status.concurrency;
    const counted = `${status.pairs}`;
    if (by('browser').dataset.counted !== counted && Date.now() - (showStatus.listed || 0) > 3000) {
      showStatus.listed = Date.now();
      by('browser').dataset.counted = counted;
      Page.games.refresh();
    }
  }

  const shown = new Map();
  let chosen = null, viewer = null, latest = [], asking = false;

  function showBoards(games) {
    latest = games;
    by('playing').hidden = !games.length;
    const holder = by('boards'), present = new Set(games.map((game) => game.slot));
    for (const [slot, each] of shown) if (!present.has(slot)) { each.figure.remove(); shown.delete(slot); }
    for (const game of games) {
      if (!shown.has(game.slot)) shown.set(game.slot, newBoard(holder, game.slot));
      paint(shown.get(game.slot), game);
    }
    if (games.length && !present.has(chosen)) choose(games[0].slot);
    followChosen();
    Page.contents();
  }

  function newBoard(holder, slot) {
    const figure = make('figure'), caption = make('figcaption'), board = make('div', 'board');
    figure.append(caption, board);
    figure.addEventListener('click', () => choose(slot));
    holder.append(figure);
    return { figure, caption, board };
  }

  function choose(slot) {
    chosen = slot;
    for (const [each, { figure }] of shown) figure.classList.toggle('chosen', each === slot);
    followChosen();
  }

  // Asks for all moves of the chosen game; the boards below need only its position.
  async function followChosen() {
    const game = latest.find((each) => each.slot === chosen);
    if (!game || asking) return;
    asking = true;
    try {
      const reply = await fetch('live/' + game.slot);
      if (reply.ok) {
        const full = await reply.json();
        if (full) {
          by('live-viewer').hidden = false;
          if (!viewer) viewer = Page.viewer(by('live-viewer'));
          const key = `${full.r} ${full.l}`;
          if (followChosen.key !== key) { followChosen.key = key; viewer.open(full); }
          else viewer.showClocks(full.c);
          showLines(full.lines || []);
        }
      }
    } catch {
      // The stream reports that the server does not answer.
    }
    asking = false;
  }

  function showLines(sides) {
    by('dialogue').hidden = !sides.some((lines) => lines.length);
    if (!by('dialogue').open) return;
    by('lines').replaceChildren(...sides.map((lines) => make('div', '', lines.join('\n'))));
  }

  function paint(each, game) {
    const mark = game.last ? [0, 2].map((at) => game.last.charCodeAt(at) - 97 + 8 * (game.last.charCodeAt(at + 1) - 49)) : [-1, -1];
    const here = { board: Page.board.fromFen(game.fen), from: mark[0], to: mark[1] };
    const whiteToMove = game.fen.split(' ')[1] === 'w';
    const side = (name, at, moving) => {
      let text = (at ? '● ' : '○ ') + name;
      if (game.clocks_ms[at] !== null) text += ' ' + clockText(game.clocks_ms[at] - (moving ? game.since_ms : 0));
      return make('span', moving ? 'to-move' : '', text);
    };
    const number = game.fen.split(' ')[5];
    const move = game.last ? `move ${number}, ${game.last}` : 'start';
    each.caption.replaceChildren(
      side(game.white, 0, whiteToMove), make('br'), side(game.black, 1, !whiteToMove), make('br'),
      `game ${game.round} · ${move}${game.score ? ' · ' + Page.charts.minus(game.score) : ''}`);
    Page.board.paint(each.board, here, false, `game ${game.round}, ${game.white} against ${game.black}, ${move}`);
  }

  function clockText(ms) {
    const left = Math.max(0, ms) / 1000;
    if (left < 60) return left.toFixed(1) + ' s';
    return left < 3600 ? `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, '0')}` : duration(left);
  }

  function showWorkers(workers) {
    by('workers').hidden = !workers.length;
    const number = (value) => value === null || value === undefined ? '–' : Number(value).toLocaleString('en-US');
    by('worker-rows').replaceChildren(...workers.map((each) => {
      const row = make('tr');
      const factor = each.scale_ppm ? (each.scale_ppm / 1e6).toFixed(2) : '1';
      const cells = [each.name, each.state, number(each.slots), number(each.playing), number(each.nps), factor, number(each.pairs),
        number(each.forfeits), number(each.faults), number(each.voids), number(each.residual), `${each.target}, ${each.cpu}`];
      row.append(...cells.map((text) => make('td', '', text)));
      return row;
    }));
    Page.contents();
  }

  // The section of faults has all of them; while the run is played, the latest are wanted.
  function showFeed() { by('feed').hidden = !isRunning || !by('news').children.length; }

  function showNews(news) {
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
    showFeed();
  }

  function showPart(id, html) {
    let part = by(id);
    if (!part) {
      part = make('section');
      part.id = id;
      by('parts').append(part);
    }
    Page.replace(part, html);
    Page.contents();
    Page.anchors();
    if (id === 'runs') filterRuns();
  }

  // The list of runs: search, engine, dates, and boxes to tick for a comparison.
  const ticked = new Set();

  function filterRuns() {
    const form = by('run-filter').elements, rows = [...document.querySelectorAll('#run-table tbody tr')];
    const words = form.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const engines = [...new Set(rows.flatMap((row) => row.dataset.engines.split(', ')))].filter(Boolean).sort();
    if (form.engine.options.length !== engines.length + 1) {
      const kept = form.engine.value;
      form.engine.replaceChildren(new Option('any', ''), ...engines.map((name) => new Option(name)));
      form.engine.value = kept;
    }
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase(), { engines: names, date } = row.dataset;
      row.hidden = !(words.every((word) => text.includes(word)) && (!form.engine.value || names.split(', ').includes(form.engine.value))
        && (!form.from.value || date >= form.from.value) && (!form.to.value || date <= form.to.value));
      if (!row.hidden) count++;
      const box = row.querySelector('[data-run]');
      box.checked = ticked.has(box.dataset.run);
    }
    by('run-count').textContent = `${count} of ${rows.length} runs`;
    by('compare').disabled = ticked.size < 2;
    by('compare').textContent = ticked.size ? `Compare ${ticked.size} ${ticked.size === 1 ? 'run' : 'runs'}` : 'Compare';
  }

  if (by('run-filter')) {
    by('run-filter').addEventListener('input', filterRuns);
    by('run-filter').addEventListener('submit', (event) => event.preventDefault());
    by('runs').addEventListener('change', (event) => {
      const box = event.target.closest('[data-run]');
      if (!box) return;
      if (box.checked) ticked.add(box.dataset.run); else ticked.delete(box.dataset.run);
      filterRuns();
    });
    by('compare').addEventListener('click', () => { location.href = 'compare?runs=' + [...ticked].join(','); });
  }

  const shows = { status: showStatus, boards: showBoards, workers: showWorkers, news: showNews };
  function connect() {
    const source = new EventSource('events');
    source.addEventListener('open', () => { if (by('phase') && document.body.dataset.connected !== 'yes') by('phase').textContent = 'Reading the run…'; });
    source.addEventListener('message', (event) => {
      const parts = JSON.parse(event.data);
      for (const id in parts) shows[id] ? shows[id](parts[id]) : showPart(id, parts[id]);
      document.body.dataset.connected = 'yes';
    });
    // A run serves its page no longer than it is played.
    source.addEventListener('over', () => {
      source.close();
      if (by('phase')) by('phase').textContent += '. The program that served this page has ended; report.html in the run folder is the same page';
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
