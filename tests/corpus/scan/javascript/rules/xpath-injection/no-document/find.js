const xpath = require('xpath');
const { DOMParser } = require('xmldom');

exports.find = (xml) => {
  const doc = new DOMParser().parseFromString(xml);
  return xpath.select('//user', doc); // ok: xpath-injection
};
