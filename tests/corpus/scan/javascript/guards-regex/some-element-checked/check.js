exports.areNames = (names) => names.some((name) => /^\w+$/.test(name));
