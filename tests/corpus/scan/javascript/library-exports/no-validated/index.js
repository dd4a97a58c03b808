// scan: sources=library
const { list } = require('./list');

exports.list = (directory) => {
  if (!/^[a-z]+$/.test(directory)) throw new TypeError('directory');
  list(directory);
};
