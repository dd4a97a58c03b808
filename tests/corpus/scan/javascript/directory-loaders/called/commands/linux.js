const { exec } = require('child_process');
exports.run = (text) => exec(text); // sink: command-injection argv
