class Command {
  constructor(name) {
    this.parts = [name];
  }
  add(part) {
    this.parts.push(part);
    return this;
  }
  toString() {
    return this.parts.join(' ');
  }
}

exports.Command = Command;
