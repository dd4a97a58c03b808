const { start, check } = require('./start');

start(process.argv.slice(2));
check(process.argv[2]);
