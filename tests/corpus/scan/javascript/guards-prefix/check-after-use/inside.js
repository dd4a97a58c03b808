const path = require('path');

exports.inside = (file) => path.resolve('/data', file).startsWith('/data/');
