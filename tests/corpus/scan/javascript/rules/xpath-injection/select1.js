const xpath = require('xpath');
const { DOMParser } = require('xmldom');

const doc = new DOMParser().parseFromString('<users/>');
const name = process.argv[2]; // source: argv
module.exports = xpath.select1(`//user[name/text()='${name}']`, doc); // sink: xpath-injection argv
