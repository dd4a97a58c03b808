// scan: sources=library
exports.parse = function (text) { // source: a
  if (!text) return null;
  try {
    return eval('(' + text + ')'); // sink: code-injection a
  } catch (e) {
    return null;
  }
};
