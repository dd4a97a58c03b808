module.exports = require('./lib/converter');
