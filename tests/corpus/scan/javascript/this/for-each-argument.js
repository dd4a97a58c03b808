const { exec } = require('child_process');

const context = { command: process.argv[2] }; // source: argv
['-l'].forEach(function (flag) {
  exec(this.command + flag); // sink: command-injection argv
}, context);
