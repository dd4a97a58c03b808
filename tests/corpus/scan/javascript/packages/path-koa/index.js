const fs = require('fs');
const path = require('path');
const Koa = require('koa');

const app = new Koa();
const root = path.join(__dirname, 'public');

app.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/assets/')) return next();
  const file = path.join(root, ctx.path.slice('/assets/'.length)); // source: a
  ctx.type = path.extname(file);
  ctx.body = fs.createReadStream(file); // sink: path-traversal
});

app.listen(3000);
