const fs = require('fs');
const { exec } = require('child_process');

async function main() {
  const promise = new Promise((resolve, reject) => {
    fs.stat('notes.txt', (error, stat) => {
      if (error) return reject(error);
      resolve({ x: process.argv[2], stat }); // source: argv
    });
  });
  exec((await promise).x); // sink: command-injection argv
}
main();
