exports.isForbidden = (key) => key === '__proto__';
