const { exec } = require('child_process');

const { quote } = require('shell-quote');
const sh = (s, ...v) => s.reduce((t, p, i) => t + p + (i < v.length ? quote([v[i]]) : ''), '');
exec(sh`ls ${process.argv[2]}`); // ok: command-injection
