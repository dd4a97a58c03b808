const path = './lib/';
const run = require(path + 'run');

run(process.argv[2]); // source: argv
