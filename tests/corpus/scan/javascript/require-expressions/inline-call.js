require('child_process').exec('ls ' + process.argv[2]); // source: argv // sink: command-injection argv
