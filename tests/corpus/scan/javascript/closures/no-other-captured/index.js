const later = require('./later');

later('ls', process.argv[2])();
