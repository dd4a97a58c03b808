import express from 'express';
import { compile } from './compile.mjs';

const app = express();

app.get('/nodes', (req, res) => {
  const expression = compile('user', req.query.id); // source: id
  res.json({ count: expression.select({}).length });
});
