const { exec } = require('child_process');

const config = { shell: { options: {} } };
config.shell.options.command = process.argv[2]; // source: argv
const { options } = config.shell;
exec(options.command); // sink: command-injection argv
