// Data of the report: parsed once, with what the views look up by position.

const report = JSON.parse(byId('report-data').textContent);

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'note'];

/** Location of a step, a source or a copy: numbers from 1, columns in UTF-16 units, the end exclusive. */
function readLocation([file, line, column, endLine, endColumn]) {
  return { file, line, column, endLine, endColumn };
}

function readFinding(finding, position) {
  const steps = finding.steps.map((step) => ({ ...readLocation(step), reason: step[5] }));
  const rule = report.rules[finding.rule] ?? { id: 'unknown', title: '', cwe: [], help: '' };
  return {
    ...finding,
    position,
    rule,
    steps,
    others: finding.others.map(readLocation),
    copies: finding.copies.map(readLocation),
    sink: steps[steps.length - 1] ?? readLocation([-1, 0, 0, 0, 0]),
    rank: SEVERITIES.indexOf(finding.severity),
  };
}

const findings = report.findings.map(readFinding);

/** Number of findings that no comment silences. */
const openCount = findings.filter((finding) => finding.state !== 'silenced').length;

function pathOf(location) {
  return report.files[location.file]?.path ?? '(unknown file)';
}

/** Path with line and column, as the other formats write it. */
function placeOf(location) {
  const path = pathOf(location);
  return location.line > 0 ? path + ':' + location.line + ':' + location.column : path;
}

function isSamePlace(one, other) {
  return ['file', 'line', 'column', 'endLine', 'endColumn'].every((field) => one[field] === other[field]);
}

/** Lines of a file by number. A line is a text, or the parts of a long line. */
const linesOf = (() => {
  const known = new Map();
  return (file) => {
    let lines = known.get(file);
    if (!lines) {
      lines = new Map();
      for (const [first, texts] of report.files[file]?.chunks ?? []) {
        texts.forEach((text, index) => lines.set(first + index, text));
      }
      known.set(file, lines);
    }
    return lines;
  };
})();

/** Parts of a line that the report has: offset and text of each. */
function partsOf(line) {
  return typeof line === 'string' ? [[0, line]] : line.parts;
}

/** Text of a location in one line, for drawings. */
function textOf(location, limit) {
  const lines = linesOf(location.file);
  let text = '';
  for (let number = location.line; number <= location.endLine && text.length < limit * 2; number += 1) {
    const line = lines.get(number);
    if (line === undefined) break;
    const from = number === location.line ? location.column - 1 : 0;
    const to = number === location.endLine ? location.endColumn - 1 : Infinity;
    for (const [offset, part] of partsOf(line)) {
      text += part.slice(Math.max(0, from - offset), Math.max(0, Math.min(part.length, to - offset)));
    }
    text += ' ';
  }
  return oneLine(text, limit);
}

/** Text that a search looks at, in lower case. */
const searchTextOf = (() => {
  const known = new Array(findings.length);
  return (finding) => {
    known[finding.position] ??= [
      finding.rule.id,
      finding.rule.title,
      finding.severity,
      finding.model,
      finding.label,
      finding.state ?? '',
      finding.justification ?? '',
      finding.message,
      finding.fingerprint,
      ...new Set(finding.steps.map(pathOf)),
      ...finding.steps.map((step) => step.reason),
      ...finding.rule.cwe.map((cwe) => 'cwe-' + cwe),
      placeOf(finding.sink),
    ].join('\n').toLowerCase();
    return known[finding.position];
  };
})();
