// scan: sources=library
const BLOCKED = Object.freeze(['__proto__', 'constructor', 'prototype']);

class Config {
  constructor(initial) {
    this._data = initial || {};
  }

  set(path, value) {
    const parts = path.split('.');
    if (parts.some((part) => BLOCKED.includes(part))) {
      throw new Error('invalid path');
    }
    const key = parts.pop();
    const parent = this._walk(parts);
    parent[key] = value;
    return this;
  }

  _walk(parts) {
    return parts.reduce((node, part) => {
      if (!node[part]) node[part] = {};
      return node[part];
    }, this._data);
  }
}

module.exports = Config;
