const { promisify } = require('util');
const run = promisify(require('child_process').exec);

run('ls ' + process.argv[2]).then(() => {}); // source: argv // sink: command-injection argv
