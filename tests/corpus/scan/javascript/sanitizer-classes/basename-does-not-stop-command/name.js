const path = require('path');

exports.nameOf = (file) => path.basename(file);
