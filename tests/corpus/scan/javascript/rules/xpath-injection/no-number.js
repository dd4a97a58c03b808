const app = require('express')();
const xpath = require('xpath');
const { DOMParser } = require('xmldom');
const doc = new DOMParser().parseFromString('<users/>');

app.get('/', (req, res) => {
  const position = Number(req.query.position);
  res.json(xpath.select(`//user[${position}]`, doc).length); // ok: xpath-injection
});
