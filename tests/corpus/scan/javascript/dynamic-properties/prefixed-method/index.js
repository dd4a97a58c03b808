const Controller = require('./controller');
const app = require('express')();

const controller = new Controller();

for (const verb of ['show', 'clear']) {
  app.get(`/${verb}`, (req, res) => {
    const method = 'on' + verb[0].toUpperCase() + verb.slice(1);
    res.json(controller[method](req.query)); // source: query
  });
}
