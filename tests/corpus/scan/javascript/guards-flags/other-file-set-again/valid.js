exports.isValid = (name, isStrict) => {
  let valid = true;
  if (!/^\w+$/.test(name)) valid = false;
  if (!isStrict) valid = true;
  return valid;
};
