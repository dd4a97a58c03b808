import Koa from 'koa';
import { leave } from './leave.mjs';

const app = new Koa();

app.use((ctx) => leave(ctx, ctx.query.to)); // source: to
app.listen(3000);
