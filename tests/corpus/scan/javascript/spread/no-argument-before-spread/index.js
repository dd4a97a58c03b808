const { run } = require('./run');

const names = [process.argv[2], process.argv[3]];
run('all', ...names, process.argv[4]);
