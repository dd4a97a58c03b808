exports.shell = require('./shell');
