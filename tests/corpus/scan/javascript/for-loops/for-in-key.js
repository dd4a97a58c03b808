const { exec } = require('child_process');

const table = JSON.parse(process.argv[2]); // source: argv
for (const key in table) {
  exec(key); // sink: command-injection argv
}
