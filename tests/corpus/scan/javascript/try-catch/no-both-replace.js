const { exec } = require('child_process');

let c = process.argv[2];
try { JSON.parse(c); c = 'ls'; } catch { c = 'pwd'; }
exec(c); // ok: command-injection
