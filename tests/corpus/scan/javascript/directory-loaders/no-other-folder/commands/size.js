module.exports = (text) => text.length;
