const { exec } = require('child_process');

function Task(command) {
  this.command = command;
  return { command: 'ls' };
}

exec(new Task(process.argv[2]).command); // ok: command-injection
