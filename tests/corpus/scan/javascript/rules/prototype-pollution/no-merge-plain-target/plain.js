exports.isPlainObject = (value) => Object.prototype.toString.call(value) === '[object Object]';
