const { exec } = require('child_process');

const a = (x) => x + '';
const b = (x) => a(x).trim();
const c = (x) => b(x) + ' -l';

exec(c(process.argv[2])); // source: argv // sink: command-injection argv
