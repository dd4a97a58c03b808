const { exec } = require('child_process');

function run(command, title) {
  exec(command); // ok: command-injection
}

const callback = run.bind(null, 'ls');
process.argv.slice(2).forEach(callback);
