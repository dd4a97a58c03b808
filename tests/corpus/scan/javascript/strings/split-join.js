const { exec } = require('child_process');

const words = process.argv[2].split(','); // source: argv
exec(words.map((word) => word.trim()).join(' ')); // sink: command-injection argv
