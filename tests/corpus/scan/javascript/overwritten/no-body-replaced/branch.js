exports.toBranch = (name) => {
  name = name === 'next' ? 'develop' : 'main';
  return name;
};
