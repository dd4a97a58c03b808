const xpath = require('xpath');
const { DOMParser } = require('xmldom');
const doc = new DOMParser().parseFromString('<users/>');

exports.find = (user) => {
  const expression = ["//user[@id='", user, "']"].join('');
  return xpath.select(expression, doc); // sink: xpath-injection query
};
