exports.toNumbers = (words) => words.map(Number).filter((number) => number > 0);
