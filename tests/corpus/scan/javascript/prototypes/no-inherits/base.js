const { exec } = require('child_process');

function Base() {}
Base.prototype.start = function () {
  exec(this.text); // ok: command-injection
};

module.exports = Base;
