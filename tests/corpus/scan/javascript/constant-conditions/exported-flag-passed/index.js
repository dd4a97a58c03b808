const { exec } = require('child_process');
const flags = require('./flags');

Object.assign(flags, JSON.parse(process.env.FLAGS));
if (flags.debug) {
  exec(process.argv[2]); // source: argv // sink: command-injection argv
}
