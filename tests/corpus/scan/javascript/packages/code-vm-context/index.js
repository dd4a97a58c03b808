// scan: sources=library
const vm = require('vm');

class Sandbox {
  constructor(options = {}) {
    this.context = vm.createContext(Object.assign({}, options.globals));
    this.timeout = options.timeout || 1000;
  }

  run(code) { // source: a
    const wrapped = `(function () { return ${code} })()`;
    return vm.runInContext(wrapped, this.context, { timeout: this.timeout }); // sink: code-injection a
  }
}

module.exports = { Sandbox, create: (options) => new Sandbox(options) };
