import express from 'express';
import { pager } from './pager';

express().get('/list', (req, res) => {
  res.send(pager(req.query.page as string)); // ok: xss
});
