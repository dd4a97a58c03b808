const lib = require('./lib');

lib.run(process.argv[2]); // source: argv
