const { exec } = require('child_process');

const unique = new Set(process.argv.slice(2));
exec('head -n ' + unique.size); // ok: command-injection
