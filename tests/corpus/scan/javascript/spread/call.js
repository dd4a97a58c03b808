const { exec } = require('child_process');

const parts = [process.argv[2], { cwd: '/tmp' }]; // source: argv
exec(...parts); // sink: command-injection argv
