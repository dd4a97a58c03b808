const fs = require('fs');
const path = require('path');
const express = require('express');

function clean(name) {
  const segments = name.split(/[\\/]/);
  if (segments.indexOf('..') !== -1) throw new Error('outside');
  return name;
}

express().get('/:name', (req, res) => {
  fs.createReadStream(path.join('public', clean(req.params.name))).pipe(res); // ok: path-traversal
});
