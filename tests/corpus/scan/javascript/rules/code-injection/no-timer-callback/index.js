const { later } = require('./later');

later((text) => text.trim(), process.argv[2]);
