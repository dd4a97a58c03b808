const { exec } = require('child_process');

const list = process.argv.slice(2); // source: argv
const command = list[0];
if (list.includes(command)) {
  exec(command); // sink: command-injection argv
}
