// scan: sources=library
const Base = require('class-base');
const { exec } = require('child_process');

const Shell = Base.extend({ name: 'shell' });

Shell.prototype.open = function (file) { // source: file
  exec('open ' + file); // sink: command-injection file
};

module.exports = Shell;
