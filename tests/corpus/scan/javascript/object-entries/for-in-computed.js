const { exec } = require('child_process');

const table = { [process.argv[2]]: true }; // source: argv
for (const key in table) exec(key); // sink: command-injection argv
