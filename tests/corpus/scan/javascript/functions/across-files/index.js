const { list } = require('./list');

list(process.argv[2]); // source: argv
