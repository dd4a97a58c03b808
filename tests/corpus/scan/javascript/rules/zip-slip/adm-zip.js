const fs = require('fs');
const path = require('path');
const AdmZip = require('adm-zip');

const zip = new AdmZip('archive.zip');
zip.getEntries().forEach((entry) => {
  const target = path.join('/tmp/out', entry.entryName); // source: entry
  fs.writeFileSync(target, entry.getData()); // sink: zip-slip entry
});
