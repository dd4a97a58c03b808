const { exec } = require('child_process');

const verbose = process.argv[2] === 'yes';
exec('ls --verbose=' + verbose + ' ' + !process.argv[2]); // ok: command-injection
