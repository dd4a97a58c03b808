import express from 'express';
import { createReporter } from './reporter.mjs';

const app = express();
const report = createReporter();

app.get('/health/:service', (req, res) => {
  report(req.params.service); // source: service
  res.json({ ok: true });
});

app.listen(3000);
