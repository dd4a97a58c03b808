const { exec } = require('child_process');

function run(text) {
  if (typeof text !== 'string') return;
  exec(text); // sink: command-injection argv
}

run(process.argv[2]); // source: argv
