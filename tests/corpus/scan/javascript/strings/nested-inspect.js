const { exec } = require('child_process');
const util = require('util');

exec('run ' + util.inspect([['x', process.argv[2]]])); // source: argv // sink: command-injection argv
