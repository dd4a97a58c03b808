const { exec } = require('child_process');

const { EDITOR } = process.env; // source: env
exec(EDITOR + ' notes.txt'); // sink: command-injection env
