const { run } = require('./lib');

run(process.argv[2]); // source: argv
