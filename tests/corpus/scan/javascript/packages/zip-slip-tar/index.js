// scan: sources=application
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const tar = require('tar-stream');

exports.extractAll = () => {
  const extract = tar.extract();
  extract.on('entry', (header, stream, next) => {
    const file = path.join('out', header.name); // source: a
    stream.on('end', next);
    stream.pipe(fs.createWriteStream(file)); // sink: zip-slip a
  });
  fs.createReadStream('archive.tgz').pipe(zlib.createGunzip()).pipe(extract);
};
