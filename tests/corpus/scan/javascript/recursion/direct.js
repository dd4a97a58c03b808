const { exec } = require('child_process');

function strip(text) {
  return text.startsWith(' ') ? strip(text.slice(1)) : text;
}

exec(strip(process.argv[2])); // source: argv // sink: command-injection argv
