const { exec } = require('child_process');

function second(name) {
  const queue = ['ls', name];
  queue.shift();
  return queue.shift();
}

exec(second(process.argv[2])); // source: argv // sink: command-injection argv
