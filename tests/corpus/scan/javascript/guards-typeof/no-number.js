const { exec } = require('child_process');

const pid = Number(process.argv[2]);
exec('kill ' + pid); // ok: command-injection
