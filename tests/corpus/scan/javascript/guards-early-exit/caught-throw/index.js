const { exec } = require('child_process');
const { check } = require('./check');

const input = process.argv[2]; // source: argv
try {
  check(input);
} catch {
  // The failed check changes nothing.
}
exec(input); // sink: command-injection argv
