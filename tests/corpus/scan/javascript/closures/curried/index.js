const command = require('./command');

command('ls')(process.argv[2])(); // source: argv
