import express from 'express';
import { linkTo } from './links';

const app = express();

app.get('/docs/:page', (req, res) => {
  res.redirect(linkTo('docs', req.params.page)); // ok: open-redirect
});
