const { exec } = require('child_process');

function call(options) {
  options?.callback?.(process.argv[2]); // source: argv
}

call({ callback: (command) => exec(command) }); // sink: command-injection argv
