const crypto = require('crypto');

exports.digest = (text) => crypto.createHash('sha256').update(text).digest('hex');
