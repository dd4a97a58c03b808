const bus = require('./bus');
require('./listener');

bus.emit('run', process.argv[2]); // source: argv
