const fs = require('fs');
const path = require('path');
const express = require('express');

const leaves = (name) => name.split(path.sep).some((segment) => segment === '..');

express().get('/:name', (req, res) => {
  const name = path.normalize(req.params.name);
  if (leaves(name)) return res.sendStatus(403);
  fs.createReadStream(path.join('public', name)).pipe(res); // ok: path-traversal
});
