const xpath = require('xpath');
const { DOMParser } = require('xmldom');

const condition = (field, value) => `[@${field}="${value}"]`;

exports.Catalog = class {
  constructor(xml) {
    this.document = new DOMParser().parseFromString(xml);
  }

  by(field, value) {
    const nodes = xpath.select('//book' + condition(field, value), this.document); // sink: xpath-injection author
    return nodes.length;
  }
};
