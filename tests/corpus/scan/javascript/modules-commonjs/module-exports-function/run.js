module.exports = (command) => require('child_process').exec(command); // sink: command-injection argv
