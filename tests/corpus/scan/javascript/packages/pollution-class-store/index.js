// scan: sources=library
class Config {
  constructor(initial) {
    this._data = initial || {};
  }

  set(path, value) {
    const parts = path.split('.');
    const key = parts.pop();
    const parent = this._walk(parts);
    parent[key] = value; // sink: prototype-pollution
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
