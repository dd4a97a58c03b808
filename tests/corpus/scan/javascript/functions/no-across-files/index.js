const { list } = require('./list');

list('/tmp', process.argv[2]);
