const { exec } = require('child_process');

const src = { [Symbol.iterator]() { return { next() { return { done: false, value: 'ls', title: process.argv[2] }; } }; } };
for (const x of src) exec(x); // ok: command-injection
