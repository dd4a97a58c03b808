const run = require('./run');

run(process.argv[2], process.argv[3]);
