module.exports = function load(callback) {
  const value = process.env.COMMAND; // source: argv
  if (!value) return callback(new Error('none'));
  callback(null, value);
};
