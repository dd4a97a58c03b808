const fs = require('fs');
const path = require('path');
const express = require('express');

const UP = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

function send(name, res) {
  if (UP.test(name)) return res.sendStatus(403);
  fs.createReadStream(path.join('public', name)).pipe(res); // ok: path-traversal
}

express().get('/:name', (req, res) => send(req.params.name, res));
