const { find } = require('./find');

module.exports = find(process.argv[2]);
