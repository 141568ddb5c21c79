// What every page does: tables and charts react, headings can be linked to, positions are shown as boards, open details stay
// open.
Page.enhance = (root) => {
  Page.charts.enhanceAll(root);
  Page.tables.enhanceAll(root);
};

// The list of the sections of the page.
Page.contents = () => {
  const holder = document.getElementById('contents');
  if (!holder) return;
  const sections = [...document.querySelectorAll('main section[id]')].filter((section) => !section.hidden && section.querySelector('h2'));
  const wanted = sections.map((section) => section.id).join(' ');
  if (holder.dataset.shown === wanted) return;
  holder.dataset.shown = wanted;
  holder.replaceChildren(...sections.map((section) => {
    const link = document.createElement('a');
    link.href = '#' + section.id;
    link.textContent = section.querySelector('h2').firstChild.textContent;
    return link;
  }));
};

// Gives every section a link to itself, which is copied when it is pressed.
Page.anchors = () => {
  for (const heading of document.querySelectorAll('main section[id] > h2')) {
    if (heading.querySelector('.anchor')) continue;
    const link = document.createElement('a');
    link.className = 'anchor';
    link.href = '#' + heading.parentNode.id;
    link.textContent = '#';
    link.title = 'Copy a link to this section';
    link.setAttribute('aria-label', 'link to ' + heading.textContent);
    link.addEventListener('click', () => { if (navigator.clipboard) navigator.clipboard.writeText(link.href).catch(() => {}); });
    heading.append(' ', link);
  }
};

// Shows the position of a table cell as a board beside the pointer.
Page.preview = (() => {
  const SIDE = 200;
  let shown = null, of = null;
  const hide = () => { if (shown) shown.remove(); shown = of = null; };
  return (cell, event) => {
    if (cell === of) return;
    hide();
    if (!cell) return;
    of = cell;
    shown = document.createElement('div');
    shown.className = 'preview board';
    Page.board.paint(shown, Page.board.line(cell.dataset.fen, cell.dataset.moves).at(-1), false, 'opening');
    shown.style.left = Math.max(4, Math.min(innerWidth - SIDE - 12, event.clientX + 16)) + 'px';
    shown.style.top = Math.max(4, event.clientY > innerHeight / 2 ? event.clientY - SIDE - 12 : event.clientY + 16) + 'px';
    document.body.append(shown);
  };
})();

// Puts new markup into a part of the page and keeps what the reader has opened.
Page.replace = (part, html) => {
  const open = new Set([...part.querySelectorAll('details[open][id]')].map((each) => each.id));
  // The server escapes all external text, and the policy runs no script inside markup.
  part.innerHTML = html;
  for (const each of part.querySelectorAll('details[id]')) if (open.has(each.id)) each.open = true;
  Page.enhance(part);
};

Page.copy = (press) => {
  const text = document.getElementById(press.dataset.copies).textContent, done = () => { press.textContent = 'Copied'; };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
};

document.addEventListener('click', (event) => { const press = event.target.closest && event.target.closest('[data-copies]'); if (press) Page.copy(press); });
document.addEventListener('pointerover', (event) => Page.preview(event.target.closest && event.target.closest('[data-fen]'), event));
Page.enhance(document);
Page.games.start();
Page.contents();
Page.anchors();
