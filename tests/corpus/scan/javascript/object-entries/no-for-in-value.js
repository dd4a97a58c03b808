const { exec } = require('child_process');

const table = { pwd: process.argv[2] };
for (const key in table) exec(key); // ok: command-injection
