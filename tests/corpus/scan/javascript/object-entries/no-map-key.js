const { exec } = require('child_process');

const table = new Map();
table.set('ls', process.argv[2]);
for (const key of table.keys()) exec(key); // ok: command-injection
for (const [key, value] of table) exec(key); // ok: command-injection
