const settings = require('./settings');
const { execSync } = require('child_process');

execSync(settings.editor + ' file.txt'); // sink: command-injection env
