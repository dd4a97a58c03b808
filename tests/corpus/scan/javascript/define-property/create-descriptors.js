const { exec } = require('child_process');

const options = Object.create({}, { command: { value: process.argv[2], enumerable: true }, title: { value: 'ls' } }); // source: argv
exec(options.command); // sink: command-injection argv
exec(options.title); // ok: command-injection
