const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
exec(`head -n ${input.length} notes.txt`); // ok: command-injection
