exports.pick = (first, second) => (first.trim(), second);
