// scan: sources=library
const fs = require('fs');
const path = require('path');
const AdmZip = require('adm-zip');

module.exports = function extract(archive, dest) {
  const zip = new AdmZip(archive);
  zip.getEntries().forEach((entry) => {
    if (entry.isDirectory) return;
    const target = path.join(dest, entry.entryName);
    fs.mkdirSync(path.dirname(target), { recursive: true }); // sink: zip-slip
    fs.writeFileSync(target, entry.getData()); // sink: zip-slip
  });
};
