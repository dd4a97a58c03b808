const { exec } = require('child_process');
const { ENABLED } = require('./flags');

if (ENABLED) {
  exec(process.argv[2]); // source: argv // sink: command-injection argv
}
