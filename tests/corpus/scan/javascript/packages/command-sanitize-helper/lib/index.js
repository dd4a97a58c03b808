exports.disk = require('./disk').usage;
