const { execSync } = require('child_process');
const { pick } = require('./pick');

const settings = { shell: process.argv[2], name: 'x', other: 1 }; // source: argv
const { shell } = pick(settings, ['shell', 'name']);
execSync(`${shell} -c true`); // sink: command-injection argv
