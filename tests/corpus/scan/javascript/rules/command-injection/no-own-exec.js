// scan: sources=library
require('shelljs/global');

const pattern = /[a-z]+/;

function exec(text) {
  return pattern.exec(text); // ok: command-injection
}

exports.find = (text) => exec('find ' + text); // ok: command-injection
