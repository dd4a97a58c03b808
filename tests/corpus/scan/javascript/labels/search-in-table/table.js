exports.firstMatch = (rows, skipped) => {
  let found = 'none';
  rows: for (const row of rows) {
    for (const cell of row) {
      if (cell === skipped) continue rows;
      found = cell;
      if (cell.length > 3) break rows;
    }
  }
  return found;
};
