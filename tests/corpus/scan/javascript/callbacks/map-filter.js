const { exec } = require('child_process');

const commands = process.argv // source: argv
  .slice(2)
  .filter((text) => text.length > 0)
  .map((text) => 'ls ' + text);
exec(commands[0]); // sink: command-injection argv
