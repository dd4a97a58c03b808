const { exec } = require('child_process');

function make(command) {
  return () => exec(command); // sink: command-injection argv
}
function start(run) {
  run();
}

start(make('ls'));
start(make(process.argv[2])); // source: argv
