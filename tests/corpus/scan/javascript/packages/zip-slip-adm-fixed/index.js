// scan: sources=library
const fs = require('fs');
const path = require('path');
const AdmZip = require('adm-zip');

module.exports = function extract(archive, dest) {
  const zip = new AdmZip(archive);
  const root = path.resolve(dest);
  zip.getEntries().forEach((entry) => {
    if (entry.isDirectory) return;
    const target = path.resolve(root, entry.entryName);
    if (!target.startsWith(root + path.sep)) throw new Error('bad entry');
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, entry.getData());
  });
};
