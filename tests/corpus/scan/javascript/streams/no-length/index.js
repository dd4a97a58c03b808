const { runner } = require('./runner');

runner().write(process.argv[2]);
