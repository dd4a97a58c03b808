const { exec } = require('child_process');

const table = Object.fromEntries([['tool', process.argv[2]], ['title', 'x']]); // source: argv
exec(table.tool); // sink: command-injection argv
