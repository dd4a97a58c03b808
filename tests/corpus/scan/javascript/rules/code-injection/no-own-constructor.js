// scan: sources=library
class Text {
  constructor(text) {
    this.text = text;
  }
  copy(text) {
    return new this.constructor(text); // ok: code-injection
  }
}

exports.make = (text) => new Text('').copy(text);
exports.prototype = (text) => Object.getPrototypeOf(new Text('')).constructor(text); // ok: code-injection
