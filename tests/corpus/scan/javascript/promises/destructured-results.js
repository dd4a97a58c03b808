const { exec } = require('child_process');

Promise.resolve({ a: process.argv[2], b: 'ls' }).then(({ b }) => b).then((v) => exec(v)); // ok: command-injection
Promise.resolve({ a: process.argv[2], b: 'ls' }).then(({ a }) => a).then((v) => exec(v)); // source: argv // sink: command-injection argv
