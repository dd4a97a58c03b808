exports.parse = (text) => {
  const error = new Error('no number');
  error.input = text;
  error.command = 'ls';
  throw error;
};
