const fs = require('fs');
const path = require('path');
const express = require('express');

express().get('/:name', (req, res) => {
  const name = req.params.name;
  if (name.split('/').includes('..')) return res.sendStatus(403);
  fs.createReadStream(path.join('public', name)).pipe(res); // ok: path-traversal
});
