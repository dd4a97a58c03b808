// scan: sources=library
module.exports.put = function (obj, path, val) { // source: a
  var tokens = path.split('.');
  while (tokens.length > 1) {
    var k = tokens.shift();
    obj = obj[k] = obj[k] || {};
  }
  obj[tokens[0]] = val; // sink: prototype-pollution a
  return val;
};
