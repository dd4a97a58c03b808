const { exec } = require('child_process');

const args = process.argv; // source: argv
for (let i = 2; i < args.length; i++) {
  exec(args[i]); // sink: command-injection argv
}
