// scan: sources=library
const fs = require('fs');
const path = require('path');

module.exports = (viewsDir) => {
  const cache = new Map();
  return {
    async load(name) {
      if (cache.has(name)) return cache.get(name);
      if (!/^[\w-]+$/.test(name)) throw new Error(`bad template name: ${name}`);
      const text = await fs.promises.readFile(path.join(viewsDir, `${name}.html`), 'utf8');
      cache.set(name, text);
      return text;
    },
  };
};
