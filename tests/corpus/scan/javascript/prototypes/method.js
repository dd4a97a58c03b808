const { exec } = require('child_process');

function Shell() {}
Shell.prototype.run = function (command) {
  exec(command); // sink: command-injection argv
};

new Shell().run(process.argv[2]); // source: argv
