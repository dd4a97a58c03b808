const assert = require('assert');
const { exec } = require('child_process');

const first = process.argv[2]; // source: first
assert(!/^\w+$/.test(first));
exec(`ls ${first}`); // sink: command-injection first

const second = process.argv[3]; // source: second
assert.doesNotMatch(second, /^\w+$/);
exec(`ls ${second}`); // sink: command-injection second

const third = process.argv[4]; // source: third
assert.strictEqual(/^\w+$/.test(third), false);
exec(`ls ${third}`); // sink: command-injection third
