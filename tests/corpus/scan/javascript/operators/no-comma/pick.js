exports.pick = (first, second) => (second.trim(), first);
