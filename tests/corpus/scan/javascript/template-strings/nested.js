const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
const flag = input ? `-l ${`"${input}"`}` : '';
exec(`ls ${flag}`); // sink: command-injection argv
