const NAME = /^[a-z0-9-_.@/]+$/;

exports.isValidName = function isValidName(name) {
  return typeof name === 'string' && NAME.test(name);
};
