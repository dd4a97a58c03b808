exports.literal = (text) => {
  const number = Number(text);
  if (Number.isNaN(number)) throw new TypeError('number');
  return number;
};
