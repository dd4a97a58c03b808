const { exec } = require('child_process');

const options = {};
Object.defineProperties(options, {
  command: { get() { return process.argv[2]; } }, // source: argv
  title: { value: 'x' },
});
exec(options.command); // sink: command-injection argv
exec(options.title); // ok: command-injection
