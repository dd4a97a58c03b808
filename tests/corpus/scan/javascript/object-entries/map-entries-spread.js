const { exec } = require('child_process');

const table = new Map([['a', process.argv[2]]]); // source: argv
const values = [...table.entries()].map((entry) => entry[1]);
exec(values[0]); // sink: command-injection argv
