const { exec } = require('child_process');

function run() {
  const list = Array.prototype.slice.call(arguments, 1);
  exec(list.join(' ')); // sink: command-injection argv
}

run('title', 'ls', process.argv[2]); // source: argv
