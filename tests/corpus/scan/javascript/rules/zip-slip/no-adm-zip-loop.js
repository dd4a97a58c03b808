const fs = require('fs');
const path = require('path');
const AdmZip = require('adm-zip');

const root = path.resolve('out');
const zip = new AdmZip('in.zip');
for (const entry of zip.getEntries()) {
  const file = path.resolve(root, entry.entryName);
  if (!file.startsWith(root + path.sep)) continue;
  fs.writeFileSync(file, entry.getData()); // ok: zip-slip
}
