const express = require('express');
const { exec } = require('child_process');

function bail(res) {
  res.statusCode = 400;
  throw new Error('bad name');
}

express().get('/', (req, res) => {
  const name = req.query.name;
  if (!/^[a-z]+$/.test(name)) bail(res);
  exec(`ls ${name}`); // ok: command-injection
  res.end();
});
