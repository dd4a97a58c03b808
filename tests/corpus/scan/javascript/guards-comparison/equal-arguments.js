// scan: sources=library
const { exec } = require('child_process');

exports.run = (command, last) => { // source: run
  if (command === last) exec(command); // sink: command-injection run
};
