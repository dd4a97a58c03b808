const fs = require('fs');
const path = require('path');
const unzipper = require('unzipper');

fs.createReadStream('archive.zip')
  .pipe(unzipper.Parse())
  .on('entry', (entry) => {
    const target = path.join('/tmp/out', entry.path);
    if (!target.startsWith('/tmp/out/')) return entry.autodrain();
    entry.pipe(fs.createWriteStream(target)); // ok: zip-slip
  });
