// scan: sources=library
const fs = require('fs');
const path = require('path');

fs.readdirSync(path.join(__dirname, 'commands')).forEach((file) => {
  exports[file] = require('./commands/' + file);
});
