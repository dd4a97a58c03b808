const { exec } = require('child_process');

function Base(command) {
  this.command = command;
}
Base.prototype.start = function () {
  exec(this.command); // sink: command-injection argv
};

module.exports = Base;
