const { exec } = require('child_process');

function split(text) {
  return ['ls', text];
}

const [program, argument] = split(process.argv[2]); // source: argv
exec(program + argument); // sink: command-injection argv
