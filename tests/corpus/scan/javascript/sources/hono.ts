import { Hono } from 'hono';
import { exec } from 'child_process';

const app = new Hono();

function list(folder: string) {
  exec('ls ' + folder); // sink: command-injection folder
}

app.get('/list/:folder', (c) => {
  list(c.req.param('folder')); // source: folder
  return c.text('ok');
});

app.get('/hello', (c) => c.html('<p>Hello ' + c.req.query('name'))); // source: name // sink: xss name

export default app;
