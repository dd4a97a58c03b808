const { exec } = require('child_process');
const choose = require('./choose');

exec(choose(process.argv.slice(2))); // ok: command-injection
