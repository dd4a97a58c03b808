// Elements. Every text of a report becomes a text node, so nothing of a package is ever parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';

// Characters that are invisible or change the order of others: controls, soft hyphens, marks of direction, tags.
const HIDDEN =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function codePoint(character) {
  return 'U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/** Text for attributes and drawings: hidden characters are spelled out. */
function plain(text) {
  return text.replace(HIDDEN, codePoint);
}

/** Appends a text. Hidden characters are spelled out in elements of their own. */
function appendText(parent, text) {
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    parent.append(text.slice(end, match.index));
    const mark = document.createElement('span');
    mark.className = 'hidden-character';
    mark.textContent = codePoint(match[0]);
    parent.append(mark);
    end = match.index + match[0].length;
  }
  parent.append(text.slice(end));
  return parent;
}

function appendAll(parent, children) {
  for (const child of children) {
    if (child instanceof Node) {
      parent.append(child);
    } else if (child !== null && child !== undefined) {
      appendText(parent, String(child));
    }
  }
  return parent;
}

function setAttributes(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) target.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      target.setAttribute(name, value === true ? '' : plain(String(value)));
    }
  }
  return target;
}

/** Creates an element with attributes, listeners (`on`) and children: nodes or texts. */
function element(name, attributes, ...children) {
  return appendAll(setAttributes(document.createElement(name), attributes), children);
}

/** Creates an element of SVG. Its text has no elements for hidden characters, which SVG cannot contain. */
function drawing(name, attributes, ...children) {
  const target = setAttributes(document.createElementNS(SVG, name), attributes);
  target.append(...children.map((child) => (child instanceof Node ? child : plain(String(child)))));
  return target;
}

function byId(id) {
  return document.getElementById(id);
}

function counted(count, noun) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',') + ' ' + noun + (count === 1 ? '' : 's');
}

/** Number of bytes with a binary unit, as the text report has it. */
function size(bytes) {
  if (bytes < 1000) return counted(bytes, 'byte');
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes / 1024, 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return value.toFixed(value >= 99.95 || Number.isInteger(value) ? 0 : 1) + ' ' + units[unit];
}

/** End of a text, with an ellipsis where its start is cut. */
function shortened(text, limit) {
  return text.length > limit ? '\u2026' + text.slice(text.length - limit + 1) : text;
}

/** Name of a path with the folder that holds it. */
function shortPath(path) {
  const parts = path.split('/');
  return parts.length > 2 ? '\u2026/' + parts.slice(-2).join('/') : path;
}

/** Start of a text in one line, with an ellipsis where its end is cut. */
function oneLine(text, limit) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > limit ? line.slice(0, limit - 1) + '\u2026' : line;
}
