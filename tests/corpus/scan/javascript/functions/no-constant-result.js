const { exec } = require('child_process');

function choose(name) {
  const known = name.length > 3;
  return known ? 'ls' : 'pwd';
}

exec(choose(process.argv[2])); // ok: command-injection
