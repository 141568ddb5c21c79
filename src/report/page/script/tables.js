// Tables: a click on a heading sorts, a field above a long table filters.
Page.tables = (() => {
  // Order and filter by the id of the table: the live page replaces tables as the run grows.
  const kept = new Map();
  const LONG = 12;

  // The number a cell begins with, or null.
  function numberIn(cell) {
    const text = (cell.dataset.value || cell.textContent).trim().replaceAll(',', '').replace('\u2212', '-').replace('½', '.5').replace(/^#/, '');
    const found = text.match(/^[<>+]?\s*(-?\d*\.?\d+)/);
    return found ? Number(found[1]) : null;
  }

  function sort(table, column, descending) {
    const body = table.tBodies[0], rows = [...body.rows];
    const keyed = rows.map((row, at) => ({ row, at, number: numberIn(row.cells[column]), text: row.cells[column].textContent.trim() }));
    const isNumeric = keyed.filter((each) => each.number !== null).length > keyed.length / 2;
    keyed.sort((one, other) => {
      const way = descending ? -1 : 1;
      if (isNumeric) {
        if (one.number === null || other.number === null) return (one.number === null) - (other.number === null) || one.at - other.at;
        return way * (one.number - other.number) || one.at - other.at;
      }
      return way * one.text.localeCompare(other.text, 'en', { numeric: true }) || one.at - other.at;
    });
    body.append(...keyed.map((each) => each.row));
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      if (at === column) head.setAttribute('aria-sort', descending ? 'descending' : 'ascending'); else head.removeAttribute('aria-sort');
    });
  }

  function filter(table, wanted, count) {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean), rows = [...table.tBodies[0].rows];
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown++;
    }
    count.textContent = words.length ? `${shown} of ${rows.length}` : '';
  }

  function enhance(table) {
    if (table.dataset.ready || !table.tHead || !table.tBodies.length) return;
    table.dataset.ready = 'yes';
    if (!kept.has(table.id)) kept.set(table.id, { column: null, descending: false, wanted: '' });
    const order = table.id ? kept.get(table.id) : { column: null, descending: false, wanted: '' };
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const press = Page.charts.button('', `Sort by ${head.textContent.trim()}`, () => {
        // Numbers are mostly wanted from the top.
        const first = head.classList.contains('n');
        order.descending = order.column === column ? !order.descending : first;
        order.column = column;
        sort(table, column, order.descending);
      });
      press.append(...head.childNodes);
      head.append(press);
    });
    if (table.tBodies[0].rows.length > LONG && table.dataset.filter !== 'own') {
      const bar = document.createElement('p'), label = document.createElement('label'), field = document.createElement('input'), count = document.createElement('span');
      bar.className = 'filter';
      label.textContent = 'Filter ';
      field.type = 'search';
      field.value = order.wanted;
      field.addEventListener('input', () => { order.wanted = field.value; filter(table, order.wanted, count); });
      label.append(field);
      bar.append(label, ' ', count);
      (table.closest('.scroll') || table).before(bar);
      if (order.wanted) filter(table, order.wanted, count);
    }
    if (order.column !== null) sort(table, order.column, order.descending);
  }

  return { enhanceAll: (root) => { for (const table of root.querySelectorAll('table.sortable')) enhance(table); } };
})();
