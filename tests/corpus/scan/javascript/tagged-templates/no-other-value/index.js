const sh = require('./sh');

sh`${process.argv[2]} ${'ls'}`;
