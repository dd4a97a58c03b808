const { exec } = require('child_process');

function check(text) {
  if (text !== 'ok') throw new Error('bad ' + text);
}

try {
  check(process.argv[2]); // source: argv
} catch (error) {
  exec('echo ' + error.message); // sink: command-injection argv
}
