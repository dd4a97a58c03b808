const { exec } = require('child_process');

function run({ command = 'ls', title } = {}) { exec(command); } // ok: command-injection
run({ title: process.argv[2] });
run();
