const run = require('./run');

run('ls', '-l', process.argv[2]); // source: argv
