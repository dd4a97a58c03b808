const { traced } = require('./traced');
const { execSync } = require('child_process');

const run = traced('run', (program, ...words) => execSync([program, ...words].join(' '))); // sink: command-injection argv
run('git', 'log', process.argv[2]); // source: argv
