const command = require('./commands/' + process.platform);

command.run('ls');
