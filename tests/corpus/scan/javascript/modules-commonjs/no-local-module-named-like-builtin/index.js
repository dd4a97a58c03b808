const { exec } = require('./child_process');

exec(process.argv[2]); // ok: command-injection
