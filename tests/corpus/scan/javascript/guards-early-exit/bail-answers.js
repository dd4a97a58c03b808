const express = require('express');
const { exec } = require('child_process');

function bail(res) {
  res.status(400).end();
}

express().get('/', (req, res) => {
  const name = req.query.name; // source: query
  if (!/^[a-z]+$/.test(name)) bail(res);
  exec(`ls ${name}`); // sink: command-injection query
});
