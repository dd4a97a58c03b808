exports.oneOf = (text, list) => {
  if (!list.includes(text)) throw new RangeError(`one of ${list.join(', ')} is expected`);
  return text;
};
