// Filters and order of the list of findings.

const ORDERS = {
  severity: (one, other) => one.rank - other.rank || one.position - other.position,
  file: (one, other) => one.position - other.position,
  rule: (one, other) => compare(one.rule.id, other.rule.id) || one.position - other.position,
  steps: (one, other) => one.steps.length - other.steps.length || one.position - other.position,
};

function compare(one, other) {
  return one < other ? -1 : Number(one > other);
}

/** Number of findings by a key, in order of the keys. */
function countsBy(key) {
  const counts = new Map();
  for (const finding of findings) counts.set(key(finding), (counts.get(key(finding)) ?? 0) + 1);
  return [...counts].sort((one, other) => compare(one[0], other[0]));
}

/** The controls that select findings. `changed` is called with the selected findings in order. */
function createFilters(changed) {
  const search = byId('search');
  const file = byId('filter-file');
  const rule = byId('filter-rule');
  const order = byId('order');
  const severities = new Map();

  for (const [id, count] of countsBy((finding) => finding.rule.id)) {
    rule.append(element('option', { value: id }, id + ' (' + count + ')'));
  }
  for (const [path] of countsBy((finding) => pathOf(finding.sink))) {
    byId('paths').append(element('option', { value: path }));
  }
  const state = byId('filter-state');
  const states = countsBy((finding) => finding.state ?? '').filter(([name]) => name !== '');
  for (const [name, count] of states) state.append(element('option', { value: name }, name + ' (' + count + ')'));
  byId('states').hidden = states.length === 0;
  const counts = new Map(countsBy((finding) => finding.severity));
  for (const severity of SEVERITIES.filter((name) => counts.has(name))) {
    const box = element('input', { type: 'checkbox', checked: true, value: severity, on: { change: apply } });
    severities.set(severity, box);
    const label = element('label', { class: 'severity ' + severity }, box, severity + ' ' + counts.get(severity));
    byId('filter-severity').append(label);
  }

  function selected() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const path = file.value.toLowerCase();
    const isSelected = (finding) =>
      severities.get(finding.severity).checked &&
      (state.value === '' ? finding.state !== 'silenced' : finding.state === state.value) &&
      (rule.value === '' || finding.rule.id === rule.value) &&
      (path === '' || finding.steps.some((step) => pathOf(step).toLowerCase().includes(path))) &&
      words.every((word) => searchTextOf(finding).includes(word));
    return findings.filter(isSelected).sort(ORDERS[order.value] ?? ORDERS.severity);
  }

  function apply() {
    const list = selected();
    const all = openCount;
    const isAll = list.length === all && state.value === '';
    const chosen = state.value === 'silenced' ? counted(list.length, 'silenced finding') : list.length + ' of ' + counted(all, 'finding');
    byId('count').textContent = isAll ? counted(all, 'finding') : chosen;
    byId('reset').hidden = isAll;
    changed(list);
  }

  function reset() {
    search.value = file.value = rule.value = state.value = '';
    for (const box of severities.values()) box.checked = true;
    apply();
  }

  for (const control of [search, file]) control.addEventListener('input', apply);
  for (const control of [rule, order, state]) control.addEventListener('change', apply);
  byId('reset').addEventListener('click', reset);
  return { apply, reset };
}
