const app = require('express')();
const routes = require('./routes');

routes.install(app, { home: '/start', help: 'https://help.example.com/' });
