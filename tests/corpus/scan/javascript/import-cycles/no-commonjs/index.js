const a = require('./a');

a.begin(process.argv[2]);
