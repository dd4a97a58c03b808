const { exec } = require('child_process');
const load = require('./load');

load((error, command) => {
  exec(command); // ok: command-injection
});
