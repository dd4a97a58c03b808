const flags = require('./flags');

flags.debug = process.env.DEBUG === '1';
