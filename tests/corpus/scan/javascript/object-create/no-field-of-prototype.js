const { exec } = require('child_process');

function create(text) {
  const proto = { command: 'ls', title: text };
  return Object.create(proto);
}

exec(create(process.argv[2]).command); // ok: command-injection
