const { exec } = require('child_process');

const req = { query: { name: 'ls' } };
exec(req.query.name); // ok: command-injection
