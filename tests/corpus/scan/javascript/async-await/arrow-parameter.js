const { exec } = require('child_process');

const run = async (command) => {
  await Promise.resolve();
  exec(command); // sink: command-injection argv
};

run(process.argv[2]); // source: argv
