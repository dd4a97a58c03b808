// The result of the check is lost.
exports.check = (text) => ['ls', 'pwd'].includes(text);
