const { exec } = require('child_process');

const make = (text) => ({ shell: { command: text } });

const {
  shell: { command },
} = make(process.argv[2]); // source: argv
exec(command); // sink: command-injection argv
