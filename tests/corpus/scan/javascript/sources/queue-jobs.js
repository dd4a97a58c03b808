const Queue = require('bull');
const fs = require('fs');
const express = require('express');

const queue = new Queue('files');

function show(name) {
  return fs.readFileSync('/data/' + name); // sink: path-traversal name
}

queue.process(async (job) => show(job.data.name));
express().post('/', (req, res) => {
  queue.add({ name: req.query.name, size: 1 }); // source: name
  res.end();
});
