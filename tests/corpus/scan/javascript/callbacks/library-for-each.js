const cp = require('child_process');

process.argv.slice(2).forEach(cp.exec); // source: argv // sink: command-injection argv
