// scan: sources=library
const Promise = require('bluebird');
const { execSync } = require('child_process');

exports.list = Promise.method(function (folder) { // source: folder
  return execSync('ls ' + folder); // sink: command-injection folder
});
exports.remove = Promise.coroutine(function* (file) { // source: file
  yield execSync('rm ' + file); // sink: command-injection file
});
