exports.summary = (words) => {
  const longest = words.reduce((longest, word) => Math.max(longest, word.length), 0);
  return `<p>${words.length} words, ${longest} letters at most</p>`;
};
