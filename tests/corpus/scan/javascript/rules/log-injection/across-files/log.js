exports.write = (label, text) => {
  console.warn(label + ': ' + text); // sink: log-injection query
};
