const app = require('express')();
const xpath = require('xpath');
const { DOMParser } = require('xmldom');
const doc = new DOMParser().parseFromString('<users/>');

app.get('/', (req, res) => {
  const nodes = xpath.select("//user[@name='" + req.query.name + "']", doc); // source: query // sink: xpath-injection query
  res.json(nodes.length);
});
