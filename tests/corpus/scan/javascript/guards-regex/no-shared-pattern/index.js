const { exec } = require('child_process');
const { NAME } = require('./patterns');

const name = process.argv[2];
if (NAME.test(name)) exec('ls ' + name); // ok: command-injection
