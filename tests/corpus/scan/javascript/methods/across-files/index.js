const shell = require('./shell');

shell.setCommand(process.argv[2]); // source: argv
shell.start();
