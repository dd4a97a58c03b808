const { exec } = require('child_process');

function fill(options, value) {
  options.command = value;
}

const tainted = {};
const clean = {};
fill(tainted, process.argv[2]);
fill(clean, 'ls');
exec(clean.command); // ok: command-injection
