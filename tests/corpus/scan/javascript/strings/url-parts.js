const { exec } = require('child_process');
const url = new URL(process.argv[2]); // source: argv
exec('ping ' + url.hostname); // sink: command-injection argv
exec('ping ' + url.searchParams.get('host')); // sink: command-injection argv
