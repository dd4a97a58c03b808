const { exec } = require('child_process');

const options = { argv: ['node', 'x', 'ls'], env: { EDITOR: 'vi' } };
exec(options.argv[2]); // ok: command-injection
exec(options.env.EDITOR); // ok: command-injection
