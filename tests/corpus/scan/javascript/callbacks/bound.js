const { exec } = require('child_process');

function run(command, index) {
  exec(command); // sink: command-injection argv
}

const callback = run.bind(null, process.argv[2]); // source: argv
[1].forEach(callback);
