const fs = require('fs');
const unzipper = require('unzipper');
const { save } = require('./save');

fs.createReadStream('archive.zip')
  .pipe(unzipper.Parse())
  .on('entry', (entry) => save('/tmp/out', entry.path, entry));
