exports.isNewer = (left, right) => left.localeCompare(right, undefined, { numeric: true }) > 0;
