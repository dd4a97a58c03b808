const { exec } = require('child_process');

function run(options) {
  for (const [name, value] of Object.entries(options)) {
    exec(name + ' ' + value); // sink: command-injection argv
  }
}

run({ ls: process.argv[2] }); // source: argv
