const check = require('assert');
const { strictEqual } = require('node:assert/strict');
const { exec } = require('child_process');

const first = process.argv[2];
check(/^\w+$/.test(first));
exec(`ls ${first}`); // ok: command-injection

const second = process.argv[3];
check.ok(/^\w+$/.test(second), 'bad');
exec(`ls ${second}`); // ok: command-injection

const third = process.argv[4];
check.match(third, /^\w+$/);
exec(`ls ${third}`); // ok: command-injection

const fourth = process.argv[5];
strictEqual(/^\w+$/.test(fourth), true);
exec(`ls ${fourth}`); // ok: command-injection
