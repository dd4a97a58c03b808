const { exec } = require('child_process');

const task = Object.create(null, {
  command: { value: process.argv[2], enumerable: true }, // source: argv
});
exec(task.command); // sink: command-injection argv
