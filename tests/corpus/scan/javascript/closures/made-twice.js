const { exec } = require('child_process');

function make(command) {
  return () => command;
}

const a = make(process.argv[2]); // source: argv
const b = make('ls');
exec(b() + a()); // sink: command-injection argv
