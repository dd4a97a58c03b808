const { exec } = require('child_process');
const choose = require('./choose');

exec(choose(process.argv[2])); // source: argv // sink: command-injection argv
