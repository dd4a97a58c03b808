const fs = require('fs');
const path = require('path');
const AdmZip = require('adm-zip');

const zip = new AdmZip('in.zip');
for (const entry of zip.getEntries()) {
  fs.writeFileSync(path.join('out', entry.entryName), entry.getData()); // source: entry // sink: zip-slip entry
}
