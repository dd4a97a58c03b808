const { run } = require('./run');

const flags = ['-x'];
run(...flags, process.argv[2]); // source: argv
