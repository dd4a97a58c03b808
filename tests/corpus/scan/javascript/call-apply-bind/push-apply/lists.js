exports.append = (list, more) => Array.prototype.push.apply(list, more);
exports.add = (list, item) => [].push.call(list, item);
exports.extend = (list, more) => list.push.apply(list, more);
