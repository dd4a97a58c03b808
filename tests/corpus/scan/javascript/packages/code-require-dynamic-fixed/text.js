module.exports = function Text() {};
