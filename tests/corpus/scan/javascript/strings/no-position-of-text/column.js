exports.columnOf = (text, mark) => {
  const position = text.lastIndexOf(mark);
  return position < 0 ? 1 : position + text.charCodeAt(position) - mark.length;
};
