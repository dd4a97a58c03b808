const fs = require('fs');
const path = require('path');
const tar = require('tar-stream');

const extract = tar.extract();
extract.on('entry', (header, stream, next) => {
  const target = path.resolve('/tmp/out', header.name); // source: header
  stream.pipe(fs.createWriteStream(target)); // sink: zip-slip header
  stream.on('end', next);
});
