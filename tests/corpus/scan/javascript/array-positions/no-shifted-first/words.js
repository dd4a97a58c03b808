exports.words = function words(name) {
  const all = ['ls'];
  all.push(name);
  const queue = ['pwd', name];
  return [queue.shift() + ' && ' + all[0], name];
};
