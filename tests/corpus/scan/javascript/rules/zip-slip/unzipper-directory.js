const fs = require('fs');
const path = require('path');
const unzipper = require('unzipper');

async function unpack(file) {
  const directory = await unzipper.Open.file(file);
  for (const entry of directory.files) {
    entry.stream().pipe(fs.createWriteStream(path.join('out', entry.path))); // source: entry // sink: zip-slip entry
  }
}
unpack('in.zip');
