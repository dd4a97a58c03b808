exports.collect = (list, text) => {
  list.push(text.trim());
};
