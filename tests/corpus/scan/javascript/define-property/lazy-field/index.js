const { execSync } = require('child_process');
const { lazy } = require('./lazy');

const settings = {};
lazy(settings, 'shell', () => process.env.TOOL_SHELL); // source: env
lazy(settings, 'name', () => 'tool');

execSync(`${settings.shell} -c true`); // sink: command-injection env
execSync(`${settings.name} --version`); // ok: command-injection
