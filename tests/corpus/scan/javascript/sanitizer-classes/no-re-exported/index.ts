import express from 'express';
import { escape } from './text';

const app = express();

app.get('/hello', (req, res) => {
  res.send(`<h1>Hello ${escape(req.query.name as string)}</h1>`); // ok: xss
});
