const { exec } = require('child_process');
const symbol = Symbol('command');
const object = { [symbol]: process.argv[2] }; // source: argv
exec(object[symbol]); // sink: command-injection argv
