exports.debug = false;
exports.trace = !1;
exports.level = 3;
