require('./run.js')(process.argv[2]); // source: argv
