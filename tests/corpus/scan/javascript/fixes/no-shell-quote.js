// scan: sources=library
const { exec } = require('child_process');
const { quote } = require('shell-quote');

module.exports = (name, done) => exec('git clone ' + quote([name]), done); // ok: command-injection
