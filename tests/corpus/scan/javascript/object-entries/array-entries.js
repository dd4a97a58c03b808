const { exec } = require('child_process');

for (const [index, value] of process.argv.slice(2).entries()) { // source: argv
  exec(value); // sink: command-injection argv
}
