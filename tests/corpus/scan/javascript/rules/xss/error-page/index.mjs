import express from 'express';
import { notFound } from './not-found.mjs';

const app = express();

app.get('/', (req, res) => res.json({}));
app.use(notFound);
app.listen(3000);
