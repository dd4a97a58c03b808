import express from 'express';
import { logger } from './logger.mjs';

const app = express();
app.use(express.json());

app.post('/login', (req, res) => {
  const { user } = req.body; // source: user
  logger.warn('failed login of ' + user); // sink: log-injection user
  res.sendStatus(401);
});
