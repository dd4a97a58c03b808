const { exec } = require('child_process');

function run(command, flag) {
  exec(command + flag); // sink: command-injection argv
}

const bound = run.bind(null, process.argv[2]); // source: argv
bound(' -l');
