exports.parseQuery = (text) => {
  const options = {};
  text.split('&').forEach((part) => {
    const [name, value] = part.split('=');
    options[name] = decodeURIComponent(value);
  });
  return options;
};
