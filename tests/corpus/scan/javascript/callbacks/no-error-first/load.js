module.exports = function load(callback) {
  const value = process.env.COMMAND;
  callback(new Error(value), 'ls');
};
