exports.find = (table, name) => table.get(name);
