const { exec } = require('child_process');

const MODE = 'fixed';
exec(MODE === 'free' ? process.argv[2] : 'ls'); // ok: command-injection
