exports.begin = (text) => b.step(text);
exports.run = (command) => require('child_process').exec(command); // sink: command-injection argv
const b = require('./b');
