const { exec } = require('child_process');

const v = process.argv[2];
switch (true) {
  case v === 'ls': exec(v); break; // ok: command-injection
  case /^[a-z]+$/.test(v): exec(v); break; // ok: command-injection
}
