class Evaluator {
  constructor() {
    this.formulas = {};
  }

  define(name, formula) {
    this.formulas[name] = formula;
  }

  value(name, scope) {
    const names = Object.keys(scope);
    const body = 'return (' + this.formulas[name] + ')';
    return new Function(...names, body)(...Object.values(scope)); // sink: code-injection formula
  }
}

module.exports = { Evaluator };
