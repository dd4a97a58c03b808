const { exec } = require('child_process');

const line = Object.entries({ '-n': process.argv[2] }).reduce((text, [flag, value]) => text + ' ' + flag + value, 'head'); // source: argv
exec(line); // sink: command-injection argv
