const { exec } = require('child_process');

const options = { tool: process.argv[2] }; // source: argv
Object.entries(options).forEach(([key, value]) => {
  exec(value); // sink: command-injection argv
});
