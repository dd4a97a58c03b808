exports.matcher = (text) => {
  const pattern = new RegExp(text.toLowerCase()); // sink: regex-injection query
  return (word) => pattern.test(word);
};
