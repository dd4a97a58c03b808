const { exec } = require('child_process');
const flags = require('./flags');

if (flags.debug) {
  exec(process.argv[2]); // ok: command-injection
}
exec(flags.trace ? process.argv[3] : 'ls'); // ok: command-injection
