// scan: sources=library
const fs = require('fs');
const path = require('path');

fs.readdirSync(path.join(__dirname, 'commands')).forEach((file) => {
  exports[path.basename(file, '.js')] = require('./commands/' + file);
});
