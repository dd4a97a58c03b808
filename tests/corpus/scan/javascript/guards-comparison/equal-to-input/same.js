exports.same = (a, b) => a === b;
