exports.clean = function (text) {
  return String(text).trim().toLowerCase();
};
