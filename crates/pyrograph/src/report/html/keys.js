// Keyboard: one letter for each action, and a dialog that lists them.

/** True if keys belong to the control that has the focus. */
function isTyping(target) {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

function createKeys({ list, detail, filters, nextTheme, showPane }) {
  const dialog = byId('help');
  const search = byId('search');
  const actions = [
    [['n', 'ArrowRight'], 'next step', () => detail.move(1)],
    [['p', 'ArrowLeft'], 'previous step', () => detail.move(-1)],
    [['j'], 'next finding', () => list.move(1)],
    [['k'], 'previous finding', () => list.move(-1)],
    [['/'], 'search', () => {
      showPane('list');
      search.focus();
      search.select();
    }],
    [['l'], 'list of findings', () => {
      showPane('list');
      byId('list').focus();
    }],
    [['r'], 'remove all filters', () => filters.reset()],
    [['c'], 'open or close the coverage', () => {
      const coverage = byId('coverage');
      coverage.open = !coverage.open;
      coverage.firstElementChild.focus();
    }],
    [['g'], 'go to the drawing of the flow', () => byId('graph-section').scrollIntoView()],
    [['t'], 'change the theme', nextTheme],
    [['?'], 'this help', () => dialog.showModal()],
  ];
  const names = { ArrowRight: '\u2192', ArrowLeft: '\u2190' };
  for (const [keys, text] of actions) {
    const letters = keys.flatMap((key, index) => [index > 0 ? ' or ' : null, element('kbd', {}, names[key] ?? key)]);
    byId('keys').append(element('dt', {}, ...letters), element('dd', {}, text));
  }
  byId('open-help').addEventListener('click', () => dialog.showModal());
  byId('close-help').addEventListener('click', () => dialog.close());

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || dialog.open) return;
    if (event.key === 'Escape' && event.target === search) {
      search.value = '';
      filters.apply();
      byId('list').focus();
      return;
    }
    if (isTyping(event.target)) return;
    const action = actions.find(([keys]) => keys.includes(event.key));
    if (action) {
      event.preventDefault();
      action[2]();
    }
  });
}
