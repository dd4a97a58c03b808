const { exec } = require('child_process');

const map = { ls: 1, pwd: 2 };
const v = process.argv[2];
if (!Object.hasOwn(map, v)) throw 1;
exec(v); // ok: command-injection
if (v in map) exec(v); // ok: command-injection
if (map[v]) exec(v); // ok: command-injection
if (map.hasOwnProperty(v)) exec(v); // ok: command-injection
