exports.traced = (name, action) => (...values) => {
  const started = Date.now();
  try {
    return action(...values);
  } finally {
    console.log(name, Date.now() - started);
  }
};
