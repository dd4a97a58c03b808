const { exec } = require('child_process');

function run(text) {
  text = 'ls';
  exec(text); // ok: command-injection
}

run(process.argv[2]);
