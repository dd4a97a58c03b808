const { exec } = require('child_process');

function copy(from, to) {
  to.command = from.input;
}

const target = {};
copy({ input: process.argv[2] }, target); // source: argv
exec(target.command); // sink: command-injection argv
