exports.assign = (object, key, value) => {
  object[key] = value; // sink: prototype-pollution set
  return object;
};
