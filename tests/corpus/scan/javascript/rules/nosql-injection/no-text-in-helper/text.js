exports.asText = (value) => {
  if (typeof value !== 'string') throw new TypeError('text');
  return value;
};
