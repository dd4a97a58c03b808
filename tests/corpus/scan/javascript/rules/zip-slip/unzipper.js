const fs = require('fs');
const path = require('path');
const unzipper = require('unzipper');

fs.createReadStream('archive.zip')
  .pipe(unzipper.Parse())
  .on('entry', (entry) => {
    const target = path.join('/tmp/out', entry.path); // source: entry
    entry.pipe(fs.createWriteStream(target)); // sink: zip-slip entry
  });
