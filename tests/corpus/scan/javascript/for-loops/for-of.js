const { exec } = require('child_process');

for (const command of [process.argv[2], 'ls']) { // source: argv
  exec(command); // sink: command-injection argv
}
