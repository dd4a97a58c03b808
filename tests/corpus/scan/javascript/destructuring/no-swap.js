const { exec } = require('child_process');

let a = process.argv[2];
let b = 'ls';
[a, b] = [b, a];
exec(a); // ok: command-injection
