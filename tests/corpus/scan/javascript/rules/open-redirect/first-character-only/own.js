exports.isOwn = (path) => /^\//.test(path);
