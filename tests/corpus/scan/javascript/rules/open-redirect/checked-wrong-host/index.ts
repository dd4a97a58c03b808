import express from 'express';
import { isOwn } from './own';

const app = express();

app.get('/go', (req, res) => {
  const target = String(req.query.target); // source: target
  if (isOwn(target)) res.redirect(target); // sink: open-redirect target
  else res.redirect('/');
});
