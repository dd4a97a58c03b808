const express = require('express');
const archive = require('./archive');

const app = express();
app.get('/archive', (req, res) => {
  archive(req.query.folder, () => res.send('done'));
});
app.listen(8080);
