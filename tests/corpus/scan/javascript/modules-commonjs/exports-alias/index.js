const { exec } = require('child_process');

exec(require('./input').command); // sink: command-injection argv
