const { sizeOf } = require('./size');
const { execSync } = require('child_process');

execSync(`truncate -s ${sizeOf(process.argv[2])} disk.img`); // source: argv // sink: command-injection argv
