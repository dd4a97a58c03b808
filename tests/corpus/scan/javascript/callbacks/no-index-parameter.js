const { exec } = require('child_process');

process.argv.slice(2).forEach((text, index) => {
  exec('ls -' + index); // ok: command-injection
});
