const encoding = process.platform === 'win32' ? 'hex' : 'utf8';
exports.nameOf = (text) => Buffer.from(text).toString(encoding);
