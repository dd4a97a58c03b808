exports.debug = false;
