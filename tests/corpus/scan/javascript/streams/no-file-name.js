const fs = require('fs');

function open(name) {
  return fs.readFileSync('./out/' + name); // ok: path-traversal
}

fs.createReadStream('list.txt').on('data', (chunk) => open(String(chunk)));
