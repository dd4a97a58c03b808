function inner(text) {
  return text.trim();
}
exports.outer = function (text) {
  return inner(text) + ' -l';
};
