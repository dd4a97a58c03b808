exports.targets = function* (label) {
  const list = ['lib', 'docs'];
  for (let i = 0; i < list.length; i++) {
    if (label.length > i) yield list[i];
  }
};
