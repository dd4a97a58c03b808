// scan: sources=library
module.exports = require('./lib/list');
