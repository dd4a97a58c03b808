const he = require('he');

exports.View = class {
  values = {};

  set(name, value) {
    this.values[name] = he.encode(value);
    return this;
  }

  render() {
    return `<p>${this.values.name}</p>`;
  }
};
