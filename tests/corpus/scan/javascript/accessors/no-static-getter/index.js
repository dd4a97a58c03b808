const { exec } = require('child_process');
const Settings = require('./settings');

exec(Settings.command); // ok: command-injection
