// scan: sources=library
const cached = require('cached-call');
const traced = require('traced-function');
const { exec } = require('child_process');

function list(folder) { // source: folder
  exec('ls ' + folder); // sink: command-injection folder
}

exports.list = traced(cached(list));
