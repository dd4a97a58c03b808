const app = require('express')();
const { unserialize } = require('node-serialize');

app.get('/', (req, res) => {
  const text = Buffer.from(req.cookies.profile, 'base64').toString(); // source: cookie
  res.json(unserialize(text)); // sink: unsafe-deserialization cookie
});
