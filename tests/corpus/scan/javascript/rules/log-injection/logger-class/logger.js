module.exports = class Logger {
  constructor(scope) {
    this.scope = scope;
  }

  info(...words) {
    console.log([this.scope, ...words].join(' ')); // sink: log-injection agent
  }
};
