const fs = require('fs');
const path = require('path');
const tar = require('tar-stream');

const extract = tar.extract();
extract.on('entry', (header, stream, next) => {
  stream.pipe(fs.createWriteStream(path.join('out', header.name))); // source: header // sink: zip-slip header
  stream.on('end', next);
});
