const UNITS = { small: '1M', large: '1G' };

exports.sizeOf = (text) => {
  const bytes = Number(text);
  if (Number.isInteger(bytes)) return bytes;
  return UNITS[text] || text;
};
