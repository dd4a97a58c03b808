const { exec } = require('child_process');

function list(name) {
  if (!name.match(/^[\w-]+$/)) return;
  exec('ls ' + name); // ok: command-injection
}

list(process.argv[2]);
