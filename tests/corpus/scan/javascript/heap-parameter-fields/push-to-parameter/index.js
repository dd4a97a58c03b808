const { exec } = require('child_process');
const { collect } = require('./collect');

const list = [];
collect(list, process.argv[2]); // source: argv
exec(list[0]); // sink: command-injection argv
