exports.append = (list, more) => Array.prototype.push.apply(list, more);
