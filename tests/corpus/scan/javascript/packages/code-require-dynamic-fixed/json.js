module.exports = function Json() {};
