import express from 'express';
import { SearchIndex } from './search-index';

const app = express();
const index = new SearchIndex(['one', 'two']);

app.get('/search', (req, res) => {
  res.json(index.search({ term: req.query.q as string, whole: true })); // source: q
});
