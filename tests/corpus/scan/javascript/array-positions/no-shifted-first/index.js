const { exec } = require('child_process');
const { words } = require('./words');

const [tool] = words(process.argv[2]);
exec(tool); // ok: command-injection
