const { exec } = require('child_process');

function join(list, line) {
  if (list.length === 0) return line;
  return join(list.slice(1), line + ' ' + list[0]);
}

exec(join(process.argv.slice(2), 'ls')); // source: argv // sink: command-injection argv
