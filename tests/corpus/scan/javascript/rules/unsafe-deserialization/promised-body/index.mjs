import { createServer } from 'node:http';
import { readBody } from './body.mjs';
import { decode } from './decode.mjs';

createServer(async (req, res) => {
  const text = await readBody(req);
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify(decode(text)));
}).listen(8080);
