// scan: sources=library
exports.decode = function (str) {
  var out = {};
  var p = out;
  var re = /^\[([^\]]*)\]$|^([^=]+)(=(.*))?$/i;
  str.split(/[\r\n]+/g).forEach(function (line) {
    var match = line.match(re);
    if (!match) return;
    if (match[1] !== undefined) {
      var section = match[1].trim();
      if (section === '__proto__') {
        p = {};
        return;
      }
      p = out[section] = out[section] || {};
      return;
    }
    var key = match[2].trim();
    if (key === '__proto__') return;
    p[key] = match[3] ? (match[4] || '').trim() : true;
  });
  return out;
};
