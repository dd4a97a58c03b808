const { exec } = require('child_process');
const load = require('./load');

load((error, command) => {
  if (!error) exec(command); // sink: command-injection argv
});
