const { exec } = require('child_process');

const table = { ls: process.argv[2] };
Object.keys(table).forEach((key) => exec(key)); // ok: command-injection
