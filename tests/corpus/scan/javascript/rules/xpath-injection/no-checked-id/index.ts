import express from 'express';
import { find } from './find';

const app = express();

app.get('/users/:id', (req, res) => {
  res.json(find(req.params.id));
});
