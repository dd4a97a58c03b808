// Detail of a finding: message, steps, source, drawing, rule.

/** A text with `code`, lists and paragraphs; rules are written in a small part of Markdown. */
function prose(text) {
  const parts = [];
  text.split(/^```.*$/m).forEach((block, index) => {
    if (index % 2 === 1) {
      parts.push(element('pre', {}, element('code', {}, ...lines(block.replace(/^\n|\n$/g, '')))));
      return;
    }
    for (const paragraph of block.split(/\n\s*\n/).filter((part) => part.trim() !== '')) {
      parts.push(paragraphOf(paragraph.trim()));
    }
  });
  return parts;
}

/** A heading, a list or a paragraph. */
function paragraphOf(text) {
  const joined = (part) => spans(part.trim().replace(/\s+/g, ' '));
  if (text.startsWith('#')) return element('h4', {}, ...spans(text.replace(/^#+ */, '')));
  if (!text.startsWith('- ')) return element('p', {}, ...joined(text));
  const items = text.slice(2).split(/\n- /);
  return element('ul', {}, ...items.map((item) => element('li', {}, ...joined(item))));
}

function lines(text) {
  return text.split('\n').flatMap((line, index) => (index === 0 ? [line] : [document.createElement('br'), line]));
}

function spans(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

function fact(name, ...values) {
  return [element('dt', {}, name), element('dd', {}, ...values)];
}

/** The detail view. `changed` is called with the finding and the step that are shown. */
function createDetail(changed) {
  const source = createSource(goTo);
  const steps = byId('steps');
  const graph = byId('graph');
  let finding = null;
  let current = 0;

  function facts() {
    const inputs = finding.model === 'library' ? 'parameter of an export' : 'input of the program';
    const all = [
      ...fact('Place', placeOf(finding.sink)),
      ...fact('Source', finding.label + ', ' + inputs + ' (' + finding.model + ')'),
    ];
    if (finding.rule.cwe.length > 0) all.push(...fact('Weakness', finding.rule.cwe.map((cwe) => 'CWE-' + cwe).join(', ')));
    if (finding.copies.length > 0) all.push(...fact('Copies', finding.copies.map(placeOf).join(', ')));
    if (finding.state) all.push(...fact('State', finding.state + (finding.justification ? ': ' + finding.justification : '')));
    all.push(...fact('Fingerprint', finding.fingerprint));
    return all;
  }

  function stepRow(step, index) {
    const button = element(
      'button',
      { type: 'button', on: { click: () => goTo(index) } },
      element('span', { class: 'number' }, index + 1),
      element('span', { class: 'reason' }, ...spans(step.reason)),
      element('span', { class: 'place', title: placeOf(step) }, shortened(shortPath(placeOf(step)), 60)),
    );
    return element('li', {}, button);
  }

  function drawGraph() {
    if (finding === null) return;
    const width = Math.max(280, graph.clientWidth - 2);
    graph.replaceChildren(drawFlow(finding, width, goTo));
    markNode(graph, current);
  }

  function goTo(step) {
    if (finding === null || finding.steps.length === 0) return;
    current = Math.min(finding.steps.length - 1, Math.max(0, step));
    [...steps.children].forEach((row, index) => {
      const isCurrent = index === current;
      row.classList.toggle('current', isCurrent);
      row.firstChild.setAttribute('aria-current', isCurrent ? 'step' : 'false');
      if (isCurrent) scrollInto(steps, row);
    });
    byId('step-count').textContent = 'Step ' + (current + 1) + ' of ' + finding.steps.length;
    byId('previous-step').disabled = current === 0;
    byId('next-step').disabled = current === finding.steps.length - 1;
    byId('announcement').textContent = 'Step ' + (current + 1) + ': ' + plain(finding.steps[current].reason);
    source.show(finding, current);
    markNode(graph, current);
    changed(finding, current);
  }

  function scrollInto(box, row) {
    if (row.offsetTop < box.scrollTop) {
      box.scrollTop = row.offsetTop;
    } else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight;
    }
  }

  function show(next, step) {
    finding = next;
    byId('detail').hidden = false;
    byId('no-detail').hidden = true;
    const title = byId('finding-title');
    title.replaceChildren(element('span', { class: 'badge ' + finding.severity }, finding.severity), ' ', element('span', {}, finding.rule.id));
    byId('finding-message').replaceChildren();
    appendText(byId('finding-message'), finding.message);
    byId('facts').replaceChildren(...facts());
    steps.replaceChildren(...finding.steps.map(stepRow));
    byId('rule-title').replaceChildren();
    appendText(byId('rule-title'), 'Rule ' + finding.rule.id + ': ' + finding.rule.title);
    byId('rule-help').replaceChildren(...prose(finding.rule.help));
    drawGraph();
    goTo(step);
  }

  byId('previous-step').addEventListener('click', () => goTo(current - 1));
  byId('next-step').addEventListener('click', () => goTo(current + 1));
  let width = 0;
  new ResizeObserver(() => {
    if (graph.clientWidth !== width) {
      width = graph.clientWidth;
      drawGraph();
    }
  }).observe(graph);
  return { show, move: (by) => goTo(current + by), shown: () => finding };
}
