const fs = require('fs');
let count = 0;

exports.save = (folder, name, stream) => {
  count += 1;
  stream.pipe(fs.createWriteStream(folder + '/' + count)); // ok: zip-slip
  return name;
};
