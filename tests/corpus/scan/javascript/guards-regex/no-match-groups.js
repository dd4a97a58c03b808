// The parts that a regular expression finds have its characters only.
const { exec } = require('child_process');

const match = process.argv[2].match(/^(\d+)-(\w+)$/);
if (!match) process.exit(1);
exec(`ls ${match[0]} ${match[1]}`); // ok: command-injection
const [, first] = /([a-z]+)/.exec(process.argv[3]) || [];
exec(`ls ${first}`); // ok: command-injection
for (const [name] of process.argv[4].matchAll(/\w+/g)) exec(`ls ${name}`); // ok: command-injection
