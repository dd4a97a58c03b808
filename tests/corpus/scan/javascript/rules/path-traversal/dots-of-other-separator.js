const fs = require('fs');
const path = require('path');
const express = require('express');

const leaves = (name) => name.split(',').some((segment) => segment === '..');

express().get('/:name', (req, res) => {
  const name = req.params.name; // source: params
  if (leaves(name)) return res.sendStatus(403);
  fs.createReadStream(path.join('public', name)).pipe(res); // sink: path-traversal params
});
