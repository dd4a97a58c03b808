const { exec } = require('child_process');

const task = { runCommand: 'ls', runTitle: process.argv[2] };
const kind = 'Command';
exec(task[`run${kind}`]); // ok: command-injection
