// scan: sources=library
var FLAG = '_$$FUNC$$_';

exports.unserialize = function unserialize(obj) { // source: a
  var key;
  if (typeof obj === 'string') obj = JSON.parse(obj);
  for (key in obj) {
    if (obj.hasOwnProperty(key)) {
      if (typeof obj[key] === 'object') {
        obj[key] = unserialize(obj[key]);
      } else if (typeof obj[key] === 'string' && obj[key].indexOf(FLAG) === 0) {
        obj[key] = eval('(' + obj[key].substring(FLAG.length) + ')'); // sink: code-injection a
      }
    }
  }
  return obj;
};
