const { create } = require('./factory');

create('shell', process.argv[2]).start(); // source: argv
