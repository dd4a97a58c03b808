exports.View = class {
  constructor(id) {
    this.id = id;
    this.values = new Map();
  }

  with(name, value) {
    this.values.set(name, value);
    return this;
  }

  render() {
    let html = `<section id="${this.id}">`;
    for (const [name, value] of this.values) html += `<dt>${name}</dt><dd>${value}</dd>`;
    return html + '</section>';
  }
};
