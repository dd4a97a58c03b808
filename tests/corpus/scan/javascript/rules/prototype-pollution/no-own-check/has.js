exports.has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
