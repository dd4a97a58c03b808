const fs = require('fs');

exports.saveDraft = (name, text) => {
  fs.writeFile('./drafts/' + name, text, () => {}); // sink: path-traversal message // ok: zip-slip
};
