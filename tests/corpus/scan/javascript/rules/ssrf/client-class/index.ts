import express from 'express';
import { Client } from './client';

const app = express();

app.get('/preview', async (req, res) => {
  const client = new Client(req.query.base as string); // source: base
  res.json(await client.get('/meta.json'));
});
