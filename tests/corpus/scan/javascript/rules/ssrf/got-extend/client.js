const got = require('got');

exports.client = (host) => got.extend({ prefixUrl: `https://${host}` });
