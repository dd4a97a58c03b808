const { exec } = require('child_process');

const list = [];
list.push(process.argv[2]);
list.push('ls');
exec(list[1]); // ok: command-injection
