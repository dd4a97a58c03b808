exports.columns = (cells, width) => cells.map((cell) => cell.slice(0, width).padEnd(width)).join('| ');
