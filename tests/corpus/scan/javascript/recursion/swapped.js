const { exec } = require('child_process');

function turn(n, a, b) {
  if (n === 0) return a;
  return turn(n - 1, b, a);
}

exec(turn(3, 'ls', process.argv[2])); // source: argv // sink: command-injection argv
