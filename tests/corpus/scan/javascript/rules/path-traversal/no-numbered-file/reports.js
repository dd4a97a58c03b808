const fs = require('fs').promises;
const path = require('path');

exports.reportOf = (text) => {
  const number = Number.parseInt(text, 10);
  return fs.readFile(path.join('/srv/reports', `${number}.txt`), 'utf8'); // ok: path-traversal
};
