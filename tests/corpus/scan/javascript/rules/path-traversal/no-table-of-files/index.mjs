import express from 'express';
import { pageOf } from './pages.mjs';
import { readFile } from 'node:fs/promises';

const app = express();

app.get('/pages/:name', async (req, res) => {
  const text = await readFile(pageOf(req.params.name), 'utf8'); // ok: path-traversal
  res.json({ text });
});
