exports.run = require('./run').run;
Object.assign(exports, require('./other'));
