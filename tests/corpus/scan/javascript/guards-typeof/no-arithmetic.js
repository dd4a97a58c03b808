const { exec } = require('child_process');

const port = +process.argv[2];
const next = process.argv[2] * 2;
exec(`kill ${port} ${next} ${process.argv[2] | 0}`); // ok: command-injection
