const { execSync } = require('child_process');
const { columns } = require('./columns');

execSync(`echo ${columns([process.argv[2], 'x'], 20)}`); // source: argv // sink: command-injection argv
