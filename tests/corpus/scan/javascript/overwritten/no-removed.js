const { exec } = require('child_process');

const o = { v: process.argv[2] };
delete o.v;
exec(o.v); // ok: command-injection
