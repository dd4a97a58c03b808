const { start } = require('./start');

start(process.argv[2]); // source: argv
