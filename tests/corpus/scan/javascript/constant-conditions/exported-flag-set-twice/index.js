const { exec } = require('child_process');
const flags = require('./flags');

if (flags.debug) {
  exec(process.argv[2]); // source: argv // sink: command-injection argv
}
