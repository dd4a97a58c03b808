module.exports = require('./lib/defaults')['default'];
