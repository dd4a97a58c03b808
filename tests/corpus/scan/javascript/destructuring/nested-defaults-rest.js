const { exec } = require('child_process');
const { a: { b: [, second = 'ls'] = [] } = {}, ...rest } = { a: { b: ['x', process.argv[2]] }, c: process.argv[3] }; // source: argv
exec(second); // sink: command-injection argv
exec(rest.c); // sink: command-injection argv
