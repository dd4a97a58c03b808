const { exec } = require('child_process');

const isSafe = (name) => /^[a-z]+$/.test(name);

for (const name of process.argv.slice(2).filter(isSafe)) {
  exec('ls ' + name); // ok: command-injection
}
