import Koa, { type Context } from 'koa';
import { layout } from './layout';

const app = new Koa();

app.use(async (ctx: Context) => {
  const term = ctx.query.q as string; // source: q
  ctx.type = 'html';
  ctx.body = layout('Results', `Nothing found for ${term}`); // sink: xss q
});
