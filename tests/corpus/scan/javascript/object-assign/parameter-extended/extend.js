const assign = (target, source) => Object.assign(target, source);

exports.extend = (target, ...sources) => {
  for (const source of sources) assign(target, source);
  return target;
};
