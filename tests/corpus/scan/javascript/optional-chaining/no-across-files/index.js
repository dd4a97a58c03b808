const hooks = require('./hooks');

hooks.after?.(process.argv[2]);
hooks.before?.('ls');
