exports.write = (label, text) => {
  console.warn(label + ': ' + text.length); // ok: log-injection
};
