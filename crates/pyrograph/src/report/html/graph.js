// Drawing of the flow of a finding: a node for each place, an edge for each step, a column for each file.

/** Nodes that are drawn; of longer flows the first and the last half. */
const MAX_NODES = 60;

const NODE_HEIGHT = 44;
const EDGE_HEIGHT = 42;
const HEAD = 30;
const LETTER = 7.3;

/** Distance of edges from the left side of nodes. */
const PORT = 40;

/** Places of the flow in order. Steps at the same place follow each other in one node. */
function nodesOf(finding) {
  const nodes = [];
  finding.steps.forEach((step, index) => {
    const before = nodes[nodes.length - 1];
    if (before && isSamePlace(before.place, step)) {
      before.steps.push(index);
    } else {
      nodes.push({ place: step, steps: [index] });
    }
  });
  if (nodes.length <= MAX_NODES) return nodes;
  const half = MAX_NODES / 2;
  const left = nodes.length - MAX_NODES;
  return [...nodes.slice(0, half), { left }, ...nodes.slice(nodes.length - half)];
}

/** Draws the flow into a box of this width. `goTo` is called with a step. */
function drawFlow(finding, width, goTo) {
  const nodes = nodesOf(finding);
  const files = [...new Set(nodes.filter((node) => node.place).map((node) => node.place.file))];
  const hasColumns = files.length > 1 && files.length * 230 <= width;
  const column = hasColumns ? width / files.length : width;
  const nodeWidth = Math.min(420, column - 36);
  const top = hasColumns ? HEAD : 6;
  const others = finding.others.length + Number(finding.omitted > 0);
  const height = top + nodes.length * (NODE_HEIGHT + EDGE_HEIGHT) - EDGE_HEIGHT + others * 32 + 20;
  const label = 'Flow of ' + counted(finding.steps.length, 'step') + ' from ' + placeOf(finding.steps[0] ?? finding.sink) +
    ' to ' + placeOf(finding.sink) + '. The list of steps says the same.';
  const root = drawing('svg', { viewBox: '0 0 ' + width + ' ' + height, width, height, role: 'img', 'aria-label': label });
  root.append(arrowHead());
  if (hasColumns) files.forEach((file, index) => root.append(...columnOf(file, index * column, column, height)));

  const left = (node) => (node.place && hasColumns ? files.indexOf(node.place.file) * column : 0) + (column - nodeWidth) / 2;
  let before = null;
  nodes.forEach((node, index) => {
    node.x = node.place ? left(node) : before.x;
    node.y = top + index * (NODE_HEIGHT + EDGE_HEIGHT);
    node.width = nodeWidth;
    if (before) root.append(...edgeOf(before, node, finding, width));
    before = node;
  });
  nodes.forEach((node, index) => {
    const kind = index === 0 ? 'source' : index === nodes.length - 1 ? 'sink' : 'middle';
    root.append(node.place ? nodeOf(node, kind, finding, goTo) : gapNode(node));
  });
  root.append(...otherSources(finding, nodes[nodes.length - 1]));
  return root;
}

function arrowHead() {
  const marker = { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' };
  return drawing('defs', {}, drawing('marker', marker, drawing('path', { d: 'M0 0L8 4L0 8z', class: 'arrow' })));
}

function columnOf(file, x, width, height) {
  const name = shortened(pathOf({ file }), Math.floor((width - 24) / LETTER));
  return [
    drawing('rect', { x: x + 4, y: 0, width: width - 8, height, rx: 6, class: 'column' }),
    drawing('text', { x: x + width / 2, y: 19, class: 'column-name', 'text-anchor': 'middle' }, name),
  ];
}

/** Edge between two nodes, with the reasons of the steps that it leads to. */
function edgeOf(from, to, finding, width) {
  const [x1, y1] = [from.x + PORT, from.y + NODE_HEIGHT];
  const [x2, y2] = [to.x + PORT, to.y];
  const middle = (y1 + y2) / 2;
  const path = drawing('path', { d: 'M' + x1 + ' ' + y1 + 'C' + x1 + ' ' + middle + ' ' + x2 + ' ' + middle + ' ' + x2 + ' ' + y2, class: 'edge', 'marker-end': 'url(#arrow)' });
  if (!to.place) return [path];
  const reasons = to.steps.map((index) => index + 1 + '. ' + finding.steps[index].reason).join(' \u00b7 ');
  const x = (x1 + x2) / 2 + 10;
  const limit = Math.max(12, Math.floor((width - x - 8) / LETTER));
  // The line between columns is nearly level in its middle.
  const y = x1 === x2 ? middle + 4 : middle - 8;
  return [path, drawing('text', { x, y, class: 'reason' }, oneLine(reasons, limit))];
}

function nodeOf(node, kind, finding, goTo) {
  const { x, y, width, place, steps } = node;
  const limit = Math.floor((width - 24) / LETTER);
  const where = shortened(placeOf(place), limit);
  const reasons = steps.map((index) => index + 1 + '. ' + finding.steps[index].reason).join('\n');
  return drawing(
    'g',
    { class: 'node ' + kind, 'data-steps': steps.join(' '), on: { click: () => goTo(steps[0]) } },
    drawing('title', {}, reasons),
    drawing('rect', { x, y, width, height: NODE_HEIGHT, rx: 6 }),
    drawing('text', { x: x + 12, y: y + 18, class: 'text' }, textOf(place, limit) || '(no text)'),
    drawing('text', { x: x + 12, y: y + 35, class: 'where' }, where),
  );
}

function gapNode({ x, y, left }) {
  const text = counted(left, 'place') + ' not drawn; the list of steps has all';
  return drawing('text', { x: x + PORT + 14, y: y + 26, class: 'reason' }, text);
}

/** Other sources that reach the sink, below it. */
function otherSources(finding, sink) {
  if (!sink) return [];
  const limit = Math.floor((sink.width - 40) / LETTER);
  const texts = finding.others.map((place) => 'also from ' + shortened(placeOf(place), limit - 10));
  if (finding.omitted > 0) texts.push('also from ' + counted(finding.omitted, 'further source'));
  const bottom = sink.y + NODE_HEIGHT;
  return texts.flatMap((text, index) => {
    const y = bottom + 28 + index * 32;
    const x = sink.x + 14;
    return [
      drawing('path', { d: 'M' + (x + 14) + ' ' + y + 'H' + x + 'V' + (bottom + 1), class: 'edge other', 'marker-end': 'url(#arrow)' }),
      drawing('text', { x: x + 20, y: y + 4, class: 'reason' }, text),
    ];
  });
}

/** Marks the node of a step. */
function markNode(root, current) {
  for (const node of root.querySelectorAll('.node')) {
    const isCurrent = node.dataset.steps.split(' ').includes(String(current));
    node.classList.toggle('current', isCurrent);
  }
}
