module.exports = function choose(text) {
  let result = text;
  block: {
    if (text.length > 3) break block;
    result = 'ls';
  }
  return result;
};
