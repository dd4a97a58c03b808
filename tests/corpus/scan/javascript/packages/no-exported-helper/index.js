// scan: sources=library
const { exec } = require('child_process');

function trimmed(text) {
  return text.trim();
}

exports.trimmed = trimmed;
exports.list = function (callback) {
  exec(trimmed(' ls '), callback); // safe
};
