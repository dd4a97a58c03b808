const { exec } = require('child_process');

function pick(isTrusted, text) {
  if (isTrusted) return 'ls';
  return text;
}

exec(pick(process.argv.length > 3, process.argv[2])); // source: argv // sink: command-injection argv
