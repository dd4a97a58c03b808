// scan: sources=library
exports.rows = function rows(table, list) {
  for (let i = 0; i < list.length; i++) {
    for (let j = 0; j < list[i].length; j++) {
      table[i][j] = list[i][j]; // ok: prototype-pollution
    }
  }
};
