const { exec } = require('child_process');

function reset(options) {
  options.command = 'ls';
}

const options = { command: 'pwd' };
for (const word of process.argv) { // source: argv
  reset(options);
  options.command = word;
}
exec(options.command); // sink: command-injection argv
