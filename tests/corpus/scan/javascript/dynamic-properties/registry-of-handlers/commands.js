const { execSync } = require('child_process');
const { register } = require('./registry');

register('help', () => 'see the manual');
register('open', (file) => execSync(`xdg-open ${file}`)); // sink: command-injection argv
