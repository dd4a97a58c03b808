const { exec } = require('child_process');

function fill(options, key, value) {
  options.command = 'ls';
  options[key] = value;
}

const options = { command: 'pwd' };
fill(options, 'command', process.argv[2]); // source: argv
exec(options.command); // sink: command-injection argv
