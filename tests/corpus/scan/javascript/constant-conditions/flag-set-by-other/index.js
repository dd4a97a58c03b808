const flags = require('./flags');
const { run } = require('./runner');

flags.debug = process.argv.includes('--debug');
run(process.argv[2]); // source: argv
