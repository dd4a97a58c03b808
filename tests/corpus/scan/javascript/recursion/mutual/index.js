const { even } = require('./steps');

even(process.argv[2], 4); // source: argv
