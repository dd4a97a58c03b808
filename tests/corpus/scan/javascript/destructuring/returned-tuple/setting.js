let value = null;

exports.useSetting = (initial) => {
  if (value === null) value = initial;
  return [value, (next) => { value = next; }];
};
