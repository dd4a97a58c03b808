const hooks = require('./hooks');

hooks?.['before']?.(process.argv[2]); // source: argv
