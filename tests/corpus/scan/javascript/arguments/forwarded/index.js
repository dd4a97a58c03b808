const wrap = require('./wrap');

wrap(process.argv[2]); // source: argv
