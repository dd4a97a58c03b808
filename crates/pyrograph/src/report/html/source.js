// Source view: the lines around the steps of a finding in one file, with the steps marked.

/** Lines before and after a step. */
const CONTEXT = 8;

/** Lines that a button adds. */
const MORE = 20;

/** Lines of a step that are shown; a step may be a function of thousands of lines. */
const STEP_LINES = 24;

/** Ranges of lines to show, merged and in order: the steps of the finding in this file with their context. */
function rangesOf(finding, file, lineCount) {
  const ranges = finding.steps
    .filter((step) => step.file === file && step.line > 0)
    .map((step) => [step.line - CONTEXT, Math.min(step.endLine, step.line + STEP_LINES) + CONTEXT])
    .map(([first, last]) => [Math.max(1, first), Math.min(lineCount, last)]);
  return merged(ranges);
}

function merged(ranges) {
  const result = [];
  for (const [first, last] of ranges.sort((one, other) => one[0] - other[0])) {
    const before = result[result.length - 1];
    if (before && first <= before[1] + 3) {
      before[1] = Math.max(before[1], last);
    } else {
      result.push([first, last]);
    }
  }
  return result;
}

/** Marks of a line: from and to in UTF-16 units from 0, and the step. */
function marksOf(finding, file, number, length) {
  const marks = [];
  finding.steps.forEach((step, index) => {
    if (step.file !== file || number < step.line || number > step.endLine) return;
    const from = number === step.line ? step.column - 1 : 0;
    const to = number === step.endLine ? step.endColumn - 1 : length;
    marks.push({ from, to: Math.max(to, from), index });
  });
  return marks;
}

/** Appends a part of a line, cut where marks begin and end. */
function appendMarked(parent, offset, text, marks, current) {
  const cuts = new Set([0, text.length]);
  for (const { from, to } of marks) {
    for (const cut of [from - offset, to - offset]) if (cut > 0 && cut < text.length) cuts.add(cut);
  }
  const sorted = [...cuts].sort((one, other) => one - other);
  for (let index = 0; index + 1 < sorted.length; index += 1) {
    const [from, to] = [sorted[index], sorted[index + 1]];
    const covering = marks.filter((mark) => mark.from < to + offset && mark.to > from + offset);
    const piece = text.slice(from, to);
    if (covering.length === 0) {
      appendText(parent, piece);
      continue;
    }
    const isCurrent = covering.some((mark) => mark.index === current);
    parent.append(element('mark', { class: isCurrent ? 'current' : 'step' }, piece));
  }
}

/** Code of a line: its parts, and how much is left out between them. */
function codeOf(line, marks, current) {
  const code = element('code', {});
  let end = 0;
  const gap = (count) => count > 0 && code.append(element('span', { class: 'left-out' }, '\u2026 ' + counted(count, 'character') + ' \u2026'));
  for (const [offset, text] of partsOf(line)) {
    gap(offset - end);
    appendMarked(code, offset, text, marks, current);
    end = offset + text.length;
  }
  if (typeof line !== 'string') gap(line.length - end);
  return code;
}

/** The source view. `goTo` is called with the step whose number the user selects. */
function createSource(goTo) {
  const box = byId('source');
  let extra = [];
  let shown = null;

  function lineRow(finding, file, number, current) {
    const line = linesOf(file).get(number);
    const length = typeof line === 'string' ? line.length : line.length;
    const marks = marksOf(finding, file, number, length);
    const starts = finding.steps
      .map((step, index) => ({ step, index }))
      .filter(({ step }) => step.file === file && step.line === number);
    const badges = element('span', { class: 'badges' });
    for (const { step, index } of starts) {
      const isCurrent = index === current;
      const attributes = {
        type: 'button',
        class: isCurrent ? 'number current' : 'number',
        title: index + 1 + '. ' + step.reason,
        'aria-label': 'step ' + (index + 1) + ': ' + step.reason,
        on: { click: () => goTo(index) },
      };
      badges.append(element('button', attributes, index + 1));
    }
    const isCurrent = marks.some((mark) => mark.index === current);
    return element(
      'div',
      { class: isCurrent ? 'line current' : 'line', 'aria-current': isCurrent ? 'step' : null },
      element('span', { class: 'line-number' }, number),
      badges,
      codeOf(line, marks, current),
    );
  }

  function gapRow(first, last, file) {
    const lines = linesOf(file);
    const has = (number) => lines.has(number);
    let known = 0;
    for (let number = first; number <= last; number += 1) known += Number(has(number));
    const missing = last - first + 1 - known;
    const row = element('div', { class: 'gap' });
    const add = (from, to) => () => {
      extra.push([from, to]);
      draw();
    };
    const text = counted(last - first + 1, 'line');
    row.append(element('span', {}, first === last ? 'line ' + first : 'lines ' + first + ' to ' + last + ' (' + text + ')'));
    if (missing > 0) {
      row.append(element('span', { class: 'note' }, (known === 0 ? 'not' : missing + ' of them not') + ' in this report'));
    }
    if (has(first) && first > 1) {
      row.append(element('button', { type: 'button', on: { click: add(first, Math.min(last, first + MORE - 1)) } }, 'More below'));
    }
    if (has(last)) {
      row.append(element('button', { type: 'button', on: { click: add(Math.max(first, last - MORE + 1), last) } }, 'More above'));
    }
    return row;
  }

  function draw() {
    const { finding, current, file } = shown;
    box.replaceChildren();
    const { lines: count, chunks } = report.files[file] ?? { lines: 0, chunks: [] };
    if (chunks.length === 0) {
      box.append(element('p', { class: 'note' }, 'The report does not have the text of this file.'));
      return;
    }
    const known = linesOf(file);
    let next = 1;
    for (const [first, last] of merged([...rangesOf(finding, file, count), ...extra])) {
      if (first > next) box.append(gapRow(next, first - 1, file));
      for (let number = first; number <= last; number += 1) {
        if (known.has(number)) {
          box.append(lineRow(finding, file, number, current));
        } else {
          const from = number;
          while (number < last && !known.has(number + 1)) number += 1;
          box.append(gapRow(from, number, file));
        }
      }
      next = last + 1;
    }
    if (next <= count) box.append(gapRow(next, count, file));
  }

  function reveal() {
    const mark = box.querySelector('mark.current') ?? box.querySelector('.line.current');
    if (!mark) return;
    const [place, view] = [mark.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollTop += place.top - view.top - Math.max(0, (view.height - place.height) / 2.5);
  }

  return {
    show(finding, current) {
      const step = finding.steps[current];
      const file = step ? step.file : finding.sink.file;
      if (shown === null || shown.finding !== finding || shown.file !== file) extra = [];
      shown = { finding, current, file };
      byId('source-path').replaceChildren();
      appendText(byId('source-path'), step ? placeOf(step) : pathOf(finding.sink));
      box.setAttribute('aria-label', 'Source of ' + plain(pathOf({ file })));
      draw();
      reveal();
    },
  };
}
