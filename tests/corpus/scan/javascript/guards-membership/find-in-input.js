const { exec } = require('child_process');

const allowed = process.argv.slice(3); // source: argv
const v = process.argv[2];
const found = allowed.find((x) => x === v);
exec(found); // sink: command-injection argv
