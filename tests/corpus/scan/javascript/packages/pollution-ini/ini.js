// scan: sources=library
exports.decode = function (str) { // source: a
  var out = {};
  var p = out;
  var re = /^\[([^\]]*)\]$|^([^=]+)(=(.*))?$/i;
  str.split(/[\r\n]+/g).forEach(function (line) {
    var match = line.match(re);
    if (!match) return;
    if (match[1] !== undefined) {
      var section = match[1].trim();
      p = out[section] = out[section] || {};
      return;
    }
    var key = match[2].trim();
    p[key] = match[3] ? (match[4] || '').trim() : true; // sink: prototype-pollution a
  });
  return out;
};
