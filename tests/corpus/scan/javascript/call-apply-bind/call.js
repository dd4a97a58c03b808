const { exec } = require('child_process');

function start(flag) {
  exec(this.command + flag); // sink: command-injection argv
}

start.call({ command: process.argv[2] }, ' -l'); // source: argv
