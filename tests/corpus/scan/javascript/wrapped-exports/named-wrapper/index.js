// scan: sources=library
const { retry } = require('retry-later');
const { remove } = require('./remove');

module.exports = { remove: retry('remove', remove) };
