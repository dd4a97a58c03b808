// scan: sources=library
module.exports.put = function (obj, path, val) {
  var tokens = path.split('.').filter(function (key) {
    return !/^(__proto__|constructor|prototype)$/.test(key);
  });
  while (tokens.length > 1) {
    var k = tokens.shift();
    obj = obj[k] = obj[k] || {};
  }
  obj[tokens[0]] = val;
  return val;
};
