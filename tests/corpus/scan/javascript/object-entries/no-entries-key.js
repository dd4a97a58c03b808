const { exec } = require('child_process');

const options = { tool: process.argv[2] };
Object.entries(options).forEach(([key, value]) => {
  exec(key); // ok: command-injection
});
