// scan: sources=library
require('shelljs/global');
const { show } = require('./show');

module.exports = function (file) { // source: file
  show(file);
  return exec('rm ' + file).output; // sink: command-injection file
};
