const { exec } = require('child_process');
const { normalise, isName } = require('./names');

const input = process.argv[2]; // source: argv
// The check is of the shortened text, the command has the whole one.
if (isName(normalise(input))) {
  exec('useradd ' + input); // sink: command-injection argv
}
