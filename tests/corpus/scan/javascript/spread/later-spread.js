const { exec } = require('child_process');

function merge(defaults, given) {
  return { command: 'ls', ...defaults, ...given };
}

exec(merge({}, { command: process.argv[2] }).command); // source: argv // sink: command-injection argv
