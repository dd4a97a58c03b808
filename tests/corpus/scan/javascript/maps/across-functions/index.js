const { exec } = require('child_process');
const { remember, recall } = require('./store');

remember(process.argv[2]); // source: argv
exec(recall()); // sink: command-injection argv
