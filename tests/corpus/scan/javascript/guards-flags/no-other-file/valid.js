exports.isValid = (name) => {
  let valid = true;
  if (!/^\w+$/.test(name)) valid = false;
  return valid;
};
