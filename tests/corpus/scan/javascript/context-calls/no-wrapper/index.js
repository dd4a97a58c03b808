const { exec } = require('child_process');
const { outer } = require('./wrap');

const first = outer(process.argv[2]);
const second = outer('ls');
exec(second); // ok: command-injection
module.exports = first;
