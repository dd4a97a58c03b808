import express from 'express';
import { plain } from './plain.mjs';

const app = express();

app.get('/echo', (req, res) => plain(res, `You said ${req.query.text}`));
