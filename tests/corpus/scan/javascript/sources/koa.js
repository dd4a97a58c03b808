const { exec } = require('child_process');
const Koa = require('koa');
const Router = require('@koa/router');

const app = new Koa();
const router = new Router();
router.get('/:name', async (c) => {
  exec('ls ' + c.params.name); // source: name // sink: command-injection name
});
app.use(async (c, next) => {
  const { name } = c.request.body; // source: body
  exec('ls ' + name); // sink: command-injection body
});
app.use(router.routes());
