// scan: sources=library
const Shell = require('./shell');

const shell = new Shell();

exports.list = function (folder) { // source: folder
  shell.run('ls ' + folder);
};
exports.help = function () {
  shell.show('shell');
};
