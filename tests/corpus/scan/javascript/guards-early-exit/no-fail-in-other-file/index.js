const { execSync } = require('child_process');
const errors = require('./errors');
const { die } = require('./errors');

const name = process.argv[2];
const folder = process.argv[3];
if (!/^[a-z]+$/.test(name)) errors.fail('name');
if (!/^[a-z]+$/.test(folder)) die('folder');
execSync(`ls ${name}`); // ok: command-injection
execSync(`ls ${folder}`); // ok: command-injection
