const { exec } = require('child_process');

function apply(callback, value) {
  return callback(value);
}

const result = apply((text) => 'ls ' + text, process.argv[2]); // source: argv
exec(result); // sink: command-injection argv
