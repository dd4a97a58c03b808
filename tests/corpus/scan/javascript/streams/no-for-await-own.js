const http = require('http');
const { Readable } = require('stream');
const { exec } = require('child_process');

async function run(stream) {
  for await (const chunk of stream) exec(String(chunk)); // ok: command-injection
}

http.createServer(async (req, res) => {
  let size = 0;
  for await (const chunk of req) size += chunk.length;
  await run(Readable.from(['ls', 'pwd']));
  res.end(String(size));
}).listen(8080);
