const { execSync } = require('child_process');
const { fail } = require('./errors');

const name = process.argv[2]; // source: argv
if (!/^[a-z]+$/.test(name)) fail('name', process.env.STRICT);
execSync(`ls ${name}`); // sink: command-injection argv
