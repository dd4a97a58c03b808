const { exec } = require('child_process');

module.exports = (command) => exec(command); // sink: command-injection argv
