exports.flagsOf = (words) => {
  const verbose = words.includes('-v') || words.length > 3;
  const jobs = words.length << 1;
  return (verbose ? '-d' : '-s') + ' -j' + (jobs % 8) + (typeof words[0] === 'string' ? ' all' : '');
};
