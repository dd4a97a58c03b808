const { exec } = require('child_process');

const allowed = ['ls', 'pwd'];
const v = process.argv[2]; // source: argv
if (allowed.some((x) => x !== v)) exec(v); // sink: command-injection argv
