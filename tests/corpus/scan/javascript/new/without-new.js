const { exec } = require('child_process');
function Shell(command) {
  if (!(this instanceof Shell)) return new Shell(command);
  this.command = command;
}
Shell.prototype.run = function () { exec(this.command); }; // sink: command-injection argv
Shell.prototype.clone = function () { return Shell(this.command); };
Shell(process.argv[2]).clone().run(); // source: argv
