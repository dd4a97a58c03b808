const fs = require('fs');
const path = require('path');
const Koa = require('koa');

const app = new Koa();
const root = path.join(__dirname, 'public');

app.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/assets/')) return next();
  const file = path.normalize(path.join(root, ctx.path.slice('/assets/'.length)));
  if (file.substr(0, root.length) !== root) {
    ctx.status = 404;
    return;
  }
  ctx.type = path.extname(file);
  ctx.body = fs.createReadStream(file);
});

app.listen(3000);
