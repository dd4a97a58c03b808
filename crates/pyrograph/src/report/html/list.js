// List of findings: only the rows in view exist, so that the number of findings does not matter.

/** Height of a row in pixels; the style sheet has the same. */
const ROW = 66;

/** Rows before and after those in view. */
const MARGIN = 8;

/** The list. `choose` is called with the finding that the user selects. */
function createList(choose) {
  const box = byId('list');
  const space = byId('list-space');
  const rows = new Map();
  let list = [];
  let current = -1;
  let isScheduled = false;

  function row(index) {
    const finding = list[index];
    const text = element(
      'div',
      { class: 'row', id: 'row-' + index, role: 'option', 'aria-posinset': index + 1, 'aria-setsize': list.length },
      element('span', { class: 'badge ' + finding.severity }, finding.severity),
      element('span', { class: 'rule' }, finding.rule.id + (finding.state ? ' \u00b7 ' + finding.state : '')),
      element('span', { class: 'message' }, finding.message),
      element('span', { class: 'place', title: placeOf(finding.sink) }, shortened(placeOf(finding.sink), 52)),
    );
    text.style.transform = 'translateY(' + index * ROW + 'px)';
    text.addEventListener('click', () => select(index, true));
    return text;
  }

  function draw() {
    isScheduled = false;
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - MARGIN);
    const end = Math.min(list.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + MARGIN);
    for (const [index, old] of rows) {
      if (index < first || index >= end) {
        old.remove();
        rows.delete(index);
      }
    }
    for (let index = first; index < end; index += 1) {
      if (!rows.has(index)) {
        rows.set(index, row(index));
        space.append(rows.get(index));
      }
      rows.get(index).setAttribute('aria-selected', String(index === current));
    }
    if (rows.has(current)) {
      box.setAttribute('aria-activedescendant', 'row-' + current);
    } else {
      box.removeAttribute('aria-activedescendant');
    }
  }

  function schedule() {
    if (!isScheduled) {
      isScheduled = true;
      requestAnimationFrame(draw);
    }
  }

  function reveal(index) {
    const top = index * ROW;
    if (top < box.scrollTop) {
      box.scrollTop = top;
    } else if (top + ROW > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + ROW - box.clientHeight;
    }
  }

  function select(index, isOpened) {
    if (list.length === 0) return;
    current = Math.min(list.length - 1, Math.max(0, index));
    reveal(current);
    draw();
    choose(list[current], isOpened);
  }

  /** Shows other findings. The selected one stays selected if it is among them. */
  function show(selected, finding) {
    list = selected;
    for (const old of rows.values()) old.remove();
    rows.clear();
    space.style.height = list.length * ROW + 'px';
    byId('no-match').hidden = list.length > 0 || openCount === 0;
    current = finding ? list.indexOf(finding) : -1;
    box.scrollTop = 0;
    if (current >= 0) reveal(current);
    draw();
  }

  function pageRows() {
    return Math.max(1, Math.floor(box.clientHeight / ROW) - 1);
  }

  box.addEventListener('keydown', (event) => {
    const to = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + pageRows(),
      PageUp: current - pageRows(),
      Home: 0,
      End: list.length - 1,
      Enter: current,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    select(to, event.key === 'Enter');
  });
  box.addEventListener('scroll', schedule, { passive: true });
  window.addEventListener('resize', schedule);
  return {
    show,
    /** Selects the next finding (1) or the one before (-1). */
    move: (by) => select(current + by, false),
    /** Marks a finding without opening it. */
    mark: (finding) => {
      current = list.indexOf(finding);
      if (current >= 0) reveal(current);
      draw();
    },
    first: () => list[0],
  };
}
