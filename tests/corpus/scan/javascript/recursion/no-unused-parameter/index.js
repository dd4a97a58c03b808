const { walk } = require('./walk');

walk(3, process.argv[2], 'ls');
