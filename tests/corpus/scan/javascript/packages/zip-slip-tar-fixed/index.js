// scan: sources=application
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const tar = require('tar-stream');

exports.extractAll = () => {
  const extract = tar.extract();
  extract.on('entry', (header, stream, next) => {
    if (path.normalize(header.name).indexOf('..') === 0 || header.name.includes('..')) {
      stream.resume();
      return next();
    }
    const file = path.join('out', header.name);
    stream.on('end', next);
    stream.pipe(fs.createWriteStream(file));
  });
  fs.createReadStream('archive.tgz').pipe(zlib.createGunzip()).pipe(extract);
};
