const { exec } = require('child_process');

function Task() {
  this.command = 'ls';
}
Task.prototype.command = process.argv[2];

exec(new Task().command); // ok: command-injection
