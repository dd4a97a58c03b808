const fs = require('fs');
const path = require('path');
const JSZip = require('jszip');

async function unpack(data) {
  const zip = await JSZip.loadAsync(data);
  for (const name of Object.keys(zip.files)) { // source: name
    fs.writeFileSync(path.join('out', name), await zip.files[name].async('nodebuffer')); // sink: zip-slip name
  }
}
unpack(fs.readFileSync('in.zip'));
