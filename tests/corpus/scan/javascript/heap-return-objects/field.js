const { exec } = require('child_process');

function parse(text) {
  return { command: text, size: text.length };
}

exec(parse(process.argv[2]).command); // source: argv // sink: command-injection argv
