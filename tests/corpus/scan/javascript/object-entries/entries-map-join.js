const { exec } = require('child_process');

const flags = Object.entries({ '-n': process.argv[2] }).map(([flag, value]) => `${flag} ${value}`).join(' '); // source: argv
exec('head ' + flags); // sink: command-injection argv
