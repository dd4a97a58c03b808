const express = require('express');
const { store, profile } = require('./store');
const app = express();

app.use((req, res, next) => store.run({ user: req.query.user, kind: 'small' }, next)); // source: user
app.get('/me', (req, res) => res.json(profile()));
