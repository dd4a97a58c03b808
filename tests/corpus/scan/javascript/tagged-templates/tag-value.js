const { exec } = require('child_process');

function sh(strings, value) {
  exec(strings[0] + value); // sink: command-injection argv
}

sh`ls ${process.argv[2]}`; // source: argv
