const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec(String.raw`ls ${input}`); // sink: command-injection argv
