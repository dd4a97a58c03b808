const { exec } = require('child_process');

const lengths = process.argv.slice(2).map((text) => 'ls');
exec(lengths[0]); // ok: command-injection
