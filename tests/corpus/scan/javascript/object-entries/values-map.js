const { exec } = require('child_process');

const parts = Object.values({ a: process.argv[2], b: '-l' }).map((part) => part.trim()); // source: argv
exec('ls ' + parts.join(' ')); // sink: command-injection argv
