const settings = require('./settings');
const { start } = require('./start');

settings.enableShell();
start(process.argv[2]); // source: argv
