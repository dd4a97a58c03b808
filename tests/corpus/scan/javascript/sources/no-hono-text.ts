import { Hono } from 'hono';

const app = new Hono();
const greeting = (name: string) => 'Hello ' + name;

app.get('/hello', (c) => c.text(greeting(c.req.query('name')!))); // ok: xss
app.get('/page', (c) => c.html('<p>' + greeting('you'))); // ok: xss

export default app;
