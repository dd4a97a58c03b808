const { exec } = require('child_process');

const list = ['ls', 'pwd'];
list[1] = process.argv[2]; // source: argv
exec(list[1]); // sink: command-injection argv
