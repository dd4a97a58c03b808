const fs = require('fs');

exports.save = (folder, name, stream) => {
  stream.pipe(fs.createWriteStream(folder + '/' + name)); // sink: zip-slip entry
};
