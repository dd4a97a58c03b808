const { exec } = require('child_process');
function run(kind) {
  switch (kind) {
    case 'a': return 'ls';
    case 'b':
    case 'c': {
      const name = process.argv[2]; // source: argv
      return name;
    }
    default: return 'pwd';
  }
}
exec(run('c')); // sink: command-injection argv
