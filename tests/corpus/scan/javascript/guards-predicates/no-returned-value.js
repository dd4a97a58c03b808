const { exec } = require('child_process');

function checked(name) {
  if (!/^[a-z]+$/.test(name)) throw new Error('no name');
  return name;
}
exec('ls ' + checked(process.argv[2])); // ok: command-injection
