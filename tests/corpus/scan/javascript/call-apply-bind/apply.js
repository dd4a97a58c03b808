const cp = require('child_process');

cp.exec.apply(cp, [process.argv[2], {}]); // source: argv // sink: command-injection argv
