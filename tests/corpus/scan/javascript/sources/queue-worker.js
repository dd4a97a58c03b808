const { Queue, Worker } = require('bullmq');
const fs = require('fs');
const express = require('express');

const queue = new Queue('files');

async function work(job) {
  fs.readFileSync('/data/' + job.data.size); // ok: path-traversal
  fs.readFileSync('/data/' + job.data.name); // sink: path-traversal name
}

new Worker('files', work);
express().post('/', (req, res) => {
  queue.add('show', { name: req.query.name, size: 'small' }); // source: name
  res.end();
});
