const fs = require('fs');
const { exec } = require('child_process');

function run(text) {
  exec(text); // sink: command-injection file
}

fs.createReadStream('tasks.txt').on('data', (chunk) => run(String(chunk))); // source: file
