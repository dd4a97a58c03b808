const yaml = require('js-yaml');

const settings = yaml.load(process.argv[2]); // source: argv // sink: unsafe-deserialization argv
module.exports = settings;
