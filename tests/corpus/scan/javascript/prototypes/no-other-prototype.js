const { exec } = require('child_process');

function Shell() {}
Shell.prototype.run = function (command) {
  exec(command); // ok: command-injection
};
function Counter() {}
Counter.prototype.run = function (text) {
  return text.length;
};

new Counter().run(process.argv[2]);
new Shell().run('ls');
