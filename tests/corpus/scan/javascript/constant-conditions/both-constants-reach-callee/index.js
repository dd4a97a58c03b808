const { archive } = require('./archive');

const folder = process.argv[2]; // source: argv

archive(folder, false);
archive('dist', true);
