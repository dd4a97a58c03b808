exports.check = (text) => {
  if (!/^[a-z]+$/.test(text)) throw new Error('bad name');
};
