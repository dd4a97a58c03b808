exports.areNames = (names) => names.every((name) => /^\w+$/.test(name));
