var __assign = (this && this.__assign) || Object.assign;
const { exec } = require('child_process');

var options = __assign(__assign({}, { title: process.argv[2] }), { command: 'ls' });
exec(options.command); // ok: command-injection
