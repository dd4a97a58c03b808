const { exec } = require('child_process');

function run(title, command) {
  exec(command); // sink: command-injection argv
}

Reflect.apply(run, undefined, ['x', process.argv[2]]); // source: argv
