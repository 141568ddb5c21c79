// What every page does: tables and charts react, headings can be linked to, open details stay open.
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
    link.textContent = section.querySelector('h2').textContent;
    return link;
  }));
};

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
Page.enhance(document);
Page.games.start();
Page.contents();
