exports.clean = function (text) {
  var result = '';
  var s = String(text).trim();
  for (var i = 0; i < s.length && i < 200; i++) {
    if (!(s[i] === ';' || s[i] === '&' || s[i] === '|' || s[i] === '`' || s[i] === '$' || s[i] === '\n')) {
      result = result + s[i];
    }
  }
  return result;
};
