const cp = require('child_process');

function command() {
  return Promise.resolve(process.argv[2]); // source: argv
}

command().then(cp.exec); // sink: command-injection argv
