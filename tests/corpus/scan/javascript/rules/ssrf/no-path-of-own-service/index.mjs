import express from 'express';
import { createClient } from './client.mjs';

const app = express();
const client = createClient('https://api.example.com');

app.get('/items/:id', async (req, res) => {
  res.json(await client.item(req.params.id));
});
