const fs = require('fs');
const path = require('path');
const AdmZip = require('adm-zip');

for (const entry of new AdmZip('archive.zip').getEntries()) {
  const target = path.join('/tmp/out', path.basename(entry.entryName));
  fs.writeFileSync(target, entry.getData()); // ok: zip-slip
}
