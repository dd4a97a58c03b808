exports.isSame = (one, other) => one === other;
