// scan: sources=library
const { exec } = require('child_process');

function run(command) {
  exec(command); // ok: command-injection
}

exports.list = () => run('ls');
