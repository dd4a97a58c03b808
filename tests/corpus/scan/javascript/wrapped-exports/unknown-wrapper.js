// scan: sources=library
const traced = require('traced-function');
const { exec } = require('child_process');

module.exports = traced(function list(folder) { // source: folder
  exec('ls ' + folder); // sink: command-injection folder
});
