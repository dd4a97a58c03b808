const { exec } = require('child_process');

const reset = process.env.SAFE
  ? (options) => {
      options.command = 'ls';
    }
  : (options) => options;

const options = { command: process.argv[2] }; // source: argv
reset(options);
exec(options.command); // sink: command-injection argv
