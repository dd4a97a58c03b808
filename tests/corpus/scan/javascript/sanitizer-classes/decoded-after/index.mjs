import express from 'express';
import escapeHtml from 'escape-html';
import { toTitle } from './title.mjs';

const app = express();

app.get('/page', (req, res) => {
  // The title is decoded after it was escaped.
  res.send(`<title>${toTitle(escapeHtml(req.query.title))}</title>`); // source: title // sink: xss title
});
