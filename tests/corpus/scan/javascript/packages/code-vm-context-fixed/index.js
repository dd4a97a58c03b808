// scan: sources=library
class Sandbox {
  constructor(options = {}) {
    this.globals = new Map(Object.entries(options.globals || {}));
    this.timeout = options.timeout || 1000;
  }

  run(code) {
    if (!this.globals.has(code)) throw new ReferenceError(code);
    return this.globals.get(code);
  }
}

module.exports = { Sandbox, create: (options) => new Sandbox(options) };
