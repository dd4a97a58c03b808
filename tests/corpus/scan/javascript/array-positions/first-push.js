const { exec } = require('child_process');

const list = [];
list.push(process.argv[2]); // source: argv
list.push('ls');
exec(list[0]); // sink: command-injection argv
