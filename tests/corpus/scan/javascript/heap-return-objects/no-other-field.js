const { exec } = require('child_process');

function parse(text) {
  return { title: text, command: 'ls' };
}

exec(parse(process.argv[2]).command); // ok: command-injection
