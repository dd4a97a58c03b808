exports.parse = (text) => {
  const line = 'ls ' + text;
  const title = 'listing';
  return { line, title };
};
