const { exec } = require('child_process');
const { nameLike } = require('./patterns');

const isName = nameLike('[a-z]+');
const name = process.argv[2]; // source: argv
if (isName(name)) exec('ls ' + name); // sink: command-injection argv
