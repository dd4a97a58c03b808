const { exec } = require('child_process');

const port = parseInt(process.argv[2], 10);
exec(`nc -l ${port}`); // ok: command-injection
exec(`nc -l ${+process.argv[2]}`); // ok: command-injection
exec(`nc -l ${process.argv[2] | 0}`); // ok: command-injection
exec(`nc -l ${Math.floor(process.argv[2])}`); // ok: command-injection
exec(`nc -l ${Number(process.argv[2]).toFixed(2)}`); // ok: command-injection
