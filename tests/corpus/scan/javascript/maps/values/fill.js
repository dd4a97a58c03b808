exports.fill = (table, text) => table.set('given', text);
