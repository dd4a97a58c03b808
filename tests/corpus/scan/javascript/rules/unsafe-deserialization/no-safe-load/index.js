const yaml = require('js-yaml');

module.exports = yaml.safeLoad(process.argv[2]); // ok: unsafe-deserialization
