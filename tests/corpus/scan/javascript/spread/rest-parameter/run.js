const { exec } = require('child_process');

module.exports = function run(program, ...args) {
  exec([program, ...args].join(' ')); // sink: command-injection argv
};
