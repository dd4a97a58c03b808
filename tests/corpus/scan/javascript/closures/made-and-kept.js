const { exec } = require('child_process');

const all = [];
function register(command) {
  all.push(() => command);
}

register('ls');
register(process.argv[2]); // source: argv
for (const each of all) exec(each()); // sink: command-injection argv
