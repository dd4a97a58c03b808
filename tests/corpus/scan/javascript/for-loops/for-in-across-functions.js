const { exec } = require('child_process');

function last(table) {
  let value = 'ls';
  for (const key in table) value = table[key];
  return value;
}

exec(last({ tool: process.argv[2] })); // source: argv // sink: command-injection argv
exec(last({ tool: 'pwd' })); // ok: command-injection
