// scan: sources=library
module.exports = function parse(query) { // source: a
  var result = {};
  query.split('&').forEach(function (pair) {
    var parts = pair.split('=');
    var path = decodeURIComponent(parts[0]).replace(/\]/g, '').split('[');
    var value = decodeURIComponent(parts[1] || '');
    var current = result;
    path.forEach(function (name, index) {
      if (index === path.length - 1) {
        current[name] = value; // sink: prototype-pollution a
        return;
      }
      current = current[name] || (current[name] = {});
    });
  });
  return result;
};
