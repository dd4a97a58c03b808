import vm from 'vm';
import Koa from 'koa';

class Sandbox {
  private readonly context = vm.createContext({ result: null });

  run(code: string): unknown {
    return vm.runInContext(code, this.context, { timeout: 100 }); // sink: code-injection code
  }
}

const app = new Koa();
const sandbox = new Sandbox();

app.use(async (ctx) => {
  const value = sandbox.run(ctx.query.code as string); // source: code
  ctx.body = JSON.stringify({ done: value !== undefined });
});
