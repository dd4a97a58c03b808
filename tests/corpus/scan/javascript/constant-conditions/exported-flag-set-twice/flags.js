exports.debug = false;
exports.enable = function enable() {
  exports.debug = true;
};
