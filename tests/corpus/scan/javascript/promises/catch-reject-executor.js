const { exec } = require('child_process');

function load(text) {
  return new Promise((resolve, reject) => {
    if (text.length > 3) reject(text);
    else resolve('ls');
  });
}

load(process.argv[2]).catch((reason) => exec(reason)); // source: argv // sink: command-injection argv
