const { exec } = require('child_process');

Promise.reject(process.argv[2]).then((value) => exec(value)).catch(() => {}); // ok: command-injection
