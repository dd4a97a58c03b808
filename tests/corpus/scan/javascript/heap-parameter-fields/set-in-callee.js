const { exec } = require('child_process');

function fill(options) {
  options.command = process.argv[2]; // source: argv
}

const options = {};
fill(options);
exec(options.command); // sink: command-injection argv
