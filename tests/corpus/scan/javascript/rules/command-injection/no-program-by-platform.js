const { spawn } = require('child_process');

const open = process.platform === 'darwin' ? 'open' : 'xdg-open';
spawn(open, ['--', process.argv[2]]); // ok: command-injection
