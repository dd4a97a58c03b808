const Koa = require('koa');
const app = new Koa();

function fail(id) {
  throw new Error('bad ' + id);
}

app.use(async (ctx, next) => {
  try {
    await next();
  } catch (e) {
    ctx.type = 'html';
    ctx.body = '<p>' + e.message; // sink: xss id
  }
});
app.use(async (ctx) => {
  fail(ctx.query.id); // source: id
});
app.listen(8080);
