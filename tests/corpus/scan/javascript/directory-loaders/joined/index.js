// scan: sources=library
const fs = require('fs');
const path = require('path');

for (const file of fs.readdirSync(path.join(__dirname, 'commands'))) {
  module.exports[file] = require(path.join(__dirname, 'commands', file));
}
