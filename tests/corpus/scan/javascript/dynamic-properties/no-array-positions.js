const { exec } = require('child_process');

const list = [];
list[0] = process.argv[2];
list[1] = 'ls';
exec(list[1]); // ok: command-injection
