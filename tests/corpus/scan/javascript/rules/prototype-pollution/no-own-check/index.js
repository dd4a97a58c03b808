// scan: sources=library
const { has } = require('./has');

module.exports = function set(object, section, name, value) {
  if (!['colors', 'sizes'].includes(section)) throw new Error('unknown section');
  if (has(object, section)) object[section][name] = value; // ok: prototype-pollution
};
