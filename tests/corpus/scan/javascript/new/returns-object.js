const { exec } = require('child_process');

function Task(command) {
  return { line: 'ls ' + command };
}

exec(new Task(process.argv[2]).line); // source: argv // sink: command-injection argv
