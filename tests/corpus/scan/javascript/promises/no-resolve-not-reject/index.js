const { exec } = require('child_process');
const { input } = require('./input');

input().catch((reason) => exec(reason)); // ok: command-injection
