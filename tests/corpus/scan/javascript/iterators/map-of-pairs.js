const { exec } = require('child_process');
const entries = new Map(process.argv.slice(2).map((item) => item.split('='))); // source: argv
exec(entries.get('command')); // sink: command-injection argv
