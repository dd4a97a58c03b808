const { exec } = require('child_process');

function collect(items) {
  const commands = [];
  for (const item of items) commands.push('cat ' + item);
  return commands;
}

for (const command of collect(process.argv.slice(2))) exec(command); // source: argv // sink: command-injection argv
