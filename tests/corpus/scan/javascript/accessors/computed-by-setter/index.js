const { execSync } = require('child_process');
const { Target } = require('./target');

const target = new Target();
target.address = process.argv[2]; // source: argv
execSync(`ssh ${target.host}`); // sink: command-injection argv
