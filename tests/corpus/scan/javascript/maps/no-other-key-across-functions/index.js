const { exec } = require('child_process');
const { remember, recall } = require('./store');

remember(process.argv[2]);
exec(recall()); // ok: command-injection
