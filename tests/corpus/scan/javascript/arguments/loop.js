const { exec } = require('child_process');

function all() {
  let line = '';
  for (let i = 0; i < arguments.length; i++) line += arguments[i] + ' ';
  return line;
}

exec(all('ls', process.argv[2])); // source: argv // sink: command-injection argv
