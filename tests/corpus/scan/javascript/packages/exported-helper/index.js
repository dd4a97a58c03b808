// scan: sources=library
const { exec } = require('child_process');

function trimmed(text) {
  return text.trim();
}

exports.trimmed = trimmed;
exports.list = function (folder, callback) { // source: a
  exec(trimmed('ls ' + folder), callback); // sink: command-injection a
};
