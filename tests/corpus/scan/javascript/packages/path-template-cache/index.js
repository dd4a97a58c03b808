// scan: sources=library
const fs = require('fs');
const path = require('path');

module.exports = (viewsDir) => {
  const cache = new Map();
  return {
    async load(name) { // source: a
      if (cache.has(name)) return cache.get(name);
      const text = await fs.promises.readFile(path.join(viewsDir, `${name}.html`), 'utf8'); // sink: path-traversal
      cache.set(name, text);
      return text;
    },
  };
};
