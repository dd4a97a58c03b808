const { literal } = require('./literal');

module.exports = eval('1 + ' + literal(process.argv[2])); // ok: code-injection
