// scan: sources=library
class Unflattener {
  constructor(separator) {
    this.separator = separator || '.';
  }

  run(input) {
    const out = {};
    for (const [path, value] of Object.entries(input)) {
      this.assign(out, path.split(this.separator), value);
    }
    return out;
  }

  assign(node, [head, ...rest], value) {
    if (['__proto__', 'prototype', 'constructor'].includes(head)) return;
    if (rest.length === 0) {
      node[head] = value;
      return;
    }
    if (node[head] === undefined) node[head] = {};
    this.assign(node[head], rest, value);
  }
}

module.exports = (input, separator) => new Unflattener(separator).run(input);
