const { exec } = require('child_process');

Promise.resolve(process.argv[2]).catch((reason) => exec(reason)); // ok: command-injection
