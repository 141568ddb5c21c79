// The list of all games of a run, with filters and pages, and the viewer that opens them. A report contains its games; a
// live page asks the server, which has all of them.
Page.games = (() => {
  const ROWS = 25;
  const by = (id) => document.getElementById(id);
  const COLUMNS = ['game', 'white', 'black', 'result', 'reason', 'plies', 'opening'];
  const FAULTS = /^(time_forfeit|illegal_move|crash|stall|protocol)/;
  let carried = null, viewer = null, from = 0, order = { column: 'game', descending: false }, asked = 0;

  const plies = (game) => game.l;
  const roundKey = (round) => { const [pair, number] = round.split('.').map(Number); return 2 * pair + number; };
  const rowOf = (game) => [game.r, game.w, game.b, game.s, game.e, plies(game), game.o];

  function wanted() {
    const form = by('game-filter').elements, value = (name) => form[name].value.trim(), number = (name) => value(name).replaceAll(',', '');
    return { engine: value('engine'), colour: value('colour'), result: value('result'), reason: value('reason'), opening: number('opening'), least: number('least'), most: number('most'), faults: form.faults.checked ? 'yes' : '' };
  }

  function matches(row, filter) {
    const [, white, black, result, reason, length, opening] = row;
    const side = { '': [white, black], white: [white], black: [black] }[filter.colour];
    return (!filter.engine || side.includes(filter.engine)) && (!filter.result || result === filter.result)
      && (!filter.reason || reason.split(/[:(]/)[0] === filter.reason) && (!filter.opening || String(opening) === filter.opening)
      && (!filter.least || length >= Number(filter.least)) && (!filter.most || length <= Number(filter.most)) && (!filter.faults || FAULTS.test(reason));
  }

  // Answers a query from the games in the page, in the form of the server.
  function answer(filter) {
    const column = COLUMNS.indexOf(order.column), way = order.descending ? -1 : 1;
    const key = (row) => column === 0 ? roundKey(row[0]) : row[column];
    const rows = carried.map(rowOf).filter((row) => matches(row, filter));
    rows.sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      return way * (a < b ? -1 : a > b ? 1 : 0) || roundKey(one[0]) - roundKey(other[0]);
    });
    return { total: carried.length, found: rows.length, rows: rows.slice(from, from + ROWS) };
  }

  async function refresh() {
    const turn = ++asked, filter = wanted();
    let reply;
    if (carried) reply = answer(filter);
    else {
      const query = new URLSearchParams({ ...filter, sort: order.column, descending: order.descending ? 'yes' : '', from, count: ROWS });
      try {
        const response = await fetch('games?' + query);
        if (!response.ok) throw new Error((await response.text()).trim());
        reply = await response.json();
      } catch (why) {
        if (turn === asked) by('found').textContent = String(why.message || why);
        return;
      }
    }
    if (turn !== asked) return;
    if (from >= reply.found && from > 0) { from = Math.max(0, ROWS * (Math.ceil(reply.found / ROWS) - 1)); refresh(); return; }
    fillChoices(reply);
    write(reply);
  }

  function fillChoices(reply) {
    const engines = reply.engines || [...new Set(carried.flatMap((game) => [game.w, game.b]))];
    const reasons = reply.reasons || [...new Set(carried.map((game) => game.e.split(/[:(]/)[0]))].sort();
    for (const [name, values] of [['engine', engines], ['reason', reasons]]) {
      const select = by('game-filter').elements[name];
      if (select.options.length === values.length + 1) continue;
      const chosen = select.value;
      select.replaceChildren(new Option('any', ''), ...values.map((value) => new Option(name === 'reason' ? Page.reason(value) : value, value)));
      select.value = chosen;
    }
  }

  function write(reply) {
    const count = Page.charts.grouped;
    const games = reply.found === 1 ? 'game' : 'games';
    by('browser').hidden = by('watch').hidden = !reply.total;
    Page.contents();
    by('found').textContent = reply.found === reply.total ? `${count(reply.total)} ${games}` : `${count(reply.found)} of ${count(reply.total)} ${games}`;
    by('game-list').tBodies[0].replaceChildren(...reply.rows.map((row) => {
      const line = document.createElement('tr');
      row.forEach((value, column) => {
        const cell = document.createElement('td');
        if (column === 0) {
          const link = document.createElement('a');
          link.href = '#game-' + value;
          link.textContent = value;
          cell.append(link);
        } else cell.textContent = column === 4 ? Page.reason(value) : column >= 5 ? count(value) : value;
        if (column >= 5) cell.className = 'n'; else if (column === 1 || column === 2) cell.className = 'words';
        line.append(cell);
      });
      if (viewer.round() === row[0]) line.className = 'now';
      line.addEventListener('click', (event) => { if (event.target.tagName !== 'A') find(row[0]); });
      return line;
    }));
    by('page-of').textContent = reply.found > ROWS ? `${count(from + 1)} to ${count(Math.min(from + ROWS, reply.found))}` : '';
    by('earlier').disabled = from === 0;
    by('later').disabled = from + ROWS >= reply.found;
    by('earlier').hidden = by('later').hidden = reply.found <= ROWS;
  }

  // Opens the game `pair.game`; a pair without a game means its first one.
  async function find(text) {
    const number = text.trim().replaceAll(',', ''), round = number.includes('.') ? number : number + '.1';
    if (!/^\d+\.[12]$/.test(round)) { viewer.report('Enter the number of a pair and 1 or 2, such as 12.1'); return false; }
    if (carried) {
      const game = carried.find((each) => each.r === round);
      if (!game) { viewer.report(`Game ${round} is not in this page; playself report RUN_DIR --game ${round} adds it.`); return false; }
      viewer.open(game);
    } else {
      try {
        const reply = await fetch('game/' + round);
        if (!reply.ok) { viewer.report((await reply.text()).trim()); return false; }
        viewer.open(await reply.json());
      } catch (why) {
        viewer.report(String(why));
        return false;
      }
    }
    for (const line of by('game-list').tBodies[0].rows) line.classList.toggle('now', line.cells[0].textContent === round);
    viewer.focus();
    return true;
  }

  function start() {
    if (!by('game-filter')) return;
    const data = by('games');
    carried = data && JSON.parse(data.textContent);
    viewer = Page.viewer(by('viewer'));
    const again = () => { from = 0; refresh(); };
    by('game-filter').addEventListener('input', (event) => { if (event.target.id !== 'wanted') again(); });
    by('game-filter').addEventListener('submit', (event) => { event.preventDefault(); find(by('wanted').value); });
    by('earlier').addEventListener('click', () => { from = Math.max(0, from - ROWS); refresh(); });
    by('later').addEventListener('click', () => { from += ROWS; refresh(); });
    [...by('game-list').tHead.rows[0].cells].forEach((head, column) => {
      const press = Page.charts.button(head.textContent, `Sort by ${head.textContent}`, () => {
        order = { column: COLUMNS[column], descending: order.column === COLUMNS[column] ? !order.descending : column >= 5 };
        [...by('game-list').tHead.rows[0].cells].forEach((each, at) => {
          if (at === column) each.setAttribute('aria-sort', order.descending ? 'descending' : 'ascending'); else each.removeAttribute('aria-sort');
        });
        again();
      });
      head.replaceChildren(press);
    });
    // Tables link to games as #game-12.1.
    const follow = () => { const hash = location.hash.match(/^#game-(.+)$/); if (hash) find(hash[1]); };
    addEventListener('hashchange', follow);
    if (carried && carried.length) viewer.open(carried[0]);
    else if (!carried) viewer.report('A game of the list opens here.');
    refresh();
    follow();
  }

  return { start, refresh };
})();
