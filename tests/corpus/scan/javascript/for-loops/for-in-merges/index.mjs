import express from 'express';
import { withDefaults } from './defaults.mjs';
import { convert } from './convert.mjs';

const app = express();
app.use(express.json());

app.post('/convert', (req, res) => {
  convert(withDefaults(req.body)); // source: body
  res.json({});
});
