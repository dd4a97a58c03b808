const { Readable } = require('stream');
const { runner } = require('./runner');

Readable.from([process.argv[2]]).pipe(runner()); // source: argv
