// Summary: whether the scan is complete, what was scanned, skipped and failed, and why.

/** Rows of a long list that are added at a time. */
const PAGE = 200;

function banner(kind, title, text) {
  return element('div', { class: 'banner ' + kind, role: 'alert' }, element('strong', {}, title), element('p', {}, text));
}

function amountText({ files, bytes }) {
  return counted(files, 'file') + ' (' + size(bytes) + ')';
}

/** A list that can be opened. Long lists grow by a button, so that opening one is fast and nothing is left out. */
function listOf(title, rows) {
  const list = element('ul', {});
  const more = element('button', { type: 'button' }, '');
  const add = () => {
    const shown = list.children.length;
    list.append(...rows.slice(shown, shown + PAGE).map((row) => element('li', {}, row)));
    const rest = rows.length - list.children.length;
    more.hidden = rest === 0;
    more.textContent = 'Show ' + Math.min(rest, PAGE) + ' of ' + rest + ' more';
  };
  more.addEventListener('click', add);
  const box = element('details', { class: 'names' }, element('summary', {}, title + ' (' + rows.length + ')'), list, more);
  box.addEventListener('toggle', () => box.open && list.children.length === 0 && add(), { once: true });
  return box;
}

function banners() {
  const all = [];
  if (!report.is_complete) {
    const reason = report.is_interrupted
      ? 'The scan was interrupted. Flows that it had not reached are missing from this report.'
      : 'Some code was not analysed. Flows through it are missing from this report: no finding there does not mean no flow.';
    all.push(banner('incomplete', 'Incomplete scan', reason));
  }
  if (report.limits.length > 0) {
    const limits = report.limits.map(({ limit, count, scope }) => limit + (scope === 'value' ? ' (' + counted(count, 'time') + ')' : ' (the whole program)'));
    all.push(banner('approximate', 'Approximate', 'The analysis reached limits, so that flows may be missing: ' + limits.join(', ') + '.'));
  }
  return all;
}

function tile(name, value, kind) {
  return element('div', { class: 'tile ' + (kind ?? '') }, element('span', { class: 'value' }, value), element('span', { class: 'name' }, name));
}

/** Numbers of new, unchanged, fixed and not checked findings, if there is a baseline, and of silenced ones. */
function stateTiles() {
  const count = (state) => findings.filter((finding) => finding.state === state).length;
  const all = report.baseline ? [tile('new', count('new')), tile('unchanged', count('unchanged')), tile('fixed', report.baseline.fixed.length)] : [];
  const unchecked = report.baseline?.unchecked.length ?? 0;
  if (unchecked > 0) all.push(tile('not checked', unchecked, 'bad'));
  if (count('silenced') > 0) all.push(tile('silenced', count('silenced')));
  return all;
}

function tiles() {
  const { scanned, skipped, failed, timed_out: timedOut } = report.coverage;
  return [
    tile(openCount === 1 ? 'finding' : 'findings', openCount, openCount > 0 ? 'found' : report.is_complete ? 'good' : ''),
    ...stateTiles(),
    tile(scanned.files === 1 ? 'file scanned' : 'files scanned', scanned.files),
    tile('skipped', skipped.files),
    tile('failed', failed.files, failed.files > 0 ? 'bad' : ''),
    tile('timed out', timedOut.files, timedOut.files > 0 ? 'bad' : ''),
  ];
}

function coverageFacts() {
  const { scanned, skipped, failed, timed_out: timedOut } = report.coverage;
  const facts = [
    ...fact('Scanned', amountText(scanned) + ', ' + counted(scanned.lines, 'line')),
    ...fact('Skipped', amountText(skipped)),
    ...fact('Failed', amountText(failed)),
    ...fact('Timed out', amountText(timedOut)),
    ...fact('Threat models', report.models.join(' and ') || 'none'),
    ...fact('Rules', report.rules.length),
  ];
  if (report.configuration) facts.push(...fact('Configuration', report.configuration));
  const { calls, unresolved_calls: unresolved } = report.statistics;
  if (calls > 0) {
    facts.push(...fact('Calls', unresolved + ' of ' + calls + ' have no known target (' + ((unresolved * 100) / calls).toFixed(1) + ' %)'));
  }
  return facts;
}

function coverageLists() {
  const { reasons, folders, failures, slow, problems } = report.coverage;
  const lists = [];
  const add = (title, rows) => rows.length > 0 && lists.push(listOf(title, rows));
  add('Reasons to skip files', reasons.map(({ text, files, bytes }) => amountText({ files, bytes }) + ': ' + text));
  add('Folders of dependencies that were skipped', folders.map(([folder, files]) => folder + ': ' + counted(files, 'file')));
  add('Files that failed', failures.map(([path, reason]) => path + ': ' + reason));
  add('Files that timed out', slow);
  add('Problems of the input', problems.map(({ path, message }) => (path ? path + ': ' : '') + message));
  add('Warnings', report.warnings);
  add('Notes', report.notes);
  add('Fixed since the baseline', (report.baseline?.fixed ?? []).map(([rule, place]) => rule + ': ' + place));
  add('Not checked, but in the baseline', (report.baseline?.unchecked ?? []).map(([rule, place, reason]) => rule + ': ' + place + ': ' + reason));
  add('Times of the stages', (report.seconds ?? []).map(([stage, seconds]) => stage + ': ' + seconds.toFixed(3) + ' s'));
  const members = (library) => library.members.filter((member) => member.is_modelled).length;
  add('Packages that the input does not contain', report.libraries.map((library) =>
    library.package + (library.members.length > 0 ? ': ' + counted(library.members.length, 'member') + ' used, models describe ' + members(library) : '')));
  return lists;
}

function omittedText() {
  const { whole, context, steps } = report.texts;
  const parts = [];
  if (context > 0) parts.push('of ' + counted(context, 'large file') + ' only the lines around steps');
  if (steps > 0) parts.push('of ' + counted(steps, 'further file') + ' only the lines of steps');
  if (parts.length === 0) return null;
  return 'This page has the whole text of ' + counted(whole, 'file') + ', ' + parts.join(', ') + '.';
}

function showSummary() {
  byId('banners').append(...banners());
  byId('tiles').append(...tiles());
  byId('coverage-facts').append(...coverageFacts());
  byId('coverage-lists').append(...coverageLists());
  const omitted = omittedText();
  if (omitted) byId('coverage-lists').append(element('p', { class: 'note' }, omitted));
  byId('tool').textContent = report.tool.name + ' ' + report.tool.version;
  byId('coverage').open = !report.is_complete && openCount === 0;
}
