const Koa = require('koa');
const { run } = require('./run');

const app = new Koa();
app.use((ctx) => {
  const { name } = ctx.query;
  if (!/^[a-z]+$/.test(name)) ctx.throw(400, 'bad name');
  ctx.body = run(name);
});
app.listen(3000);
