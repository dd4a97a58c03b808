const { exec } = require('child_process');

function* worker() {
  while (true) {
    const command = yield;
    exec(command); // sink: command-injection argv
  }
}

const run = worker();
run.next();
run.next(process.argv[2]); // source: argv
