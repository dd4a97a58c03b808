exports.assertText = (value) => {
  if (typeof value !== 'string') throw new TypeError('a text is expected');
};
