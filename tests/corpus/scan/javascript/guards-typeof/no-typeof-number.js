const { exec } = require('child_process');

const { pid } = JSON.parse(process.argv[2]);
if (typeof pid === 'number') {
  exec('kill ' + pid); // ok: command-injection
}
