const app = require('express')();
const { Templates } = require('./templates');

const templates = new Templates(`${__dirname}/views`);

app.get('/help', (req, res) => {
  res.json({ text: templates.load(req.query.topic || 'index') }); // source: topic
});
