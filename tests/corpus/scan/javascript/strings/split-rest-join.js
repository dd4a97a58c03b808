const { exec } = require('child_process');
const parts = process.argv[2].split(','); // source: argv
const [first, ...others] = parts;
exec(others.map((part) => part.toUpperCase()).filter(Boolean).join(' ')); // sink: command-injection argv
