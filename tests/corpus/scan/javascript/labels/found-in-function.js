const { exec } = require('child_process');

function find(rows) {
  let found = 'ls';
  search: for (const row of rows) {
    for (const cell of row) {
      if (cell.length > 3) {
        found = cell;
        break search;
      }
    }
  }
  return found;
}

exec(find([['a'], [process.argv[2]]])); // source: argv // sink: command-injection argv
