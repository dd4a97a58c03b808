const Base = require('class-base');
const { exec } = require('child_process');

const Shell = Base.extend({
  run: function (command) {
    exec(command); // sink: command-injection folder
  },
  show: function (page) {
    exec('man ' + page); // ok: command-injection
  },
});

module.exports = Shell;
