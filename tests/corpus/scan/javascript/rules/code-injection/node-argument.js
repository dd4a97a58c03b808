const { execFileSync } = require('child_process');

execFileSync('node', ['-e', process.argv[2]]); // source: argv // sink: code-injection argv
