const shell = require('./shell');

shell.size(process.argv[2]);
shell.run('ls');
