const cp = require('node:child_process');

const script = 'ls ' + process.argv[2]; // source: argv
cp.spawnSync('/bin/sh', ['-c', script]); // sink: command-injection argv
