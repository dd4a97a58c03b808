const { exec } = require('child_process');
const { wrap } = require('./wrap');

const first = wrap(process.argv[2]); // source: argv
const second = wrap('ls');
exec(second); // ok: command-injection
exec(first); // sink: command-injection argv
