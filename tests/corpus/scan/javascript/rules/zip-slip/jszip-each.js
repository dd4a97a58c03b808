const fs = require('fs');
const JSZip = require('jszip');

JSZip.loadAsync(fs.readFileSync('in.zip')).then((zip) => {
  zip.forEach((name, entry) => { // source: name
    fs.writeFileSync('out/' + name, 'x'); // sink: zip-slip name
  });
});
