const matches = (pattern) => (text) => pattern.test(text);

module.exports = {
  host: matches(/^[a-z0-9.]+$/i),
  port: matches(/^\d{1,5}$/),
};
