const allowed = ['eslint'];

exports.allow = (name) => allowed.push(name);
exports.isAllowed = (name) => allowed.includes(name);
