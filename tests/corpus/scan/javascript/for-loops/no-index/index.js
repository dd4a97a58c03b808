const run = require('./run');

run(process.argv.slice(2));
