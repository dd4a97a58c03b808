const { exec } = require('child_process');

const fs = [];
for (const v of ['ls', 'pwd']) fs.push(() => exec(v)); // ok: command-injection
fs.forEach((f) => f(process.argv[2]));
