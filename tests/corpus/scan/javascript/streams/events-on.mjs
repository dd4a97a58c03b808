import { on } from 'node:events';
import { createServer } from 'node:http';
import { execSync } from 'node:child_process';

async function read(request) {
  let text = '';
  for await (const [chunk] of on(request, 'data')) { // source: body
    text += chunk;
  }
  return text;
}

createServer(async (request, response) => {
  execSync(await read(request)); // sink: command-injection body
  response.end();
});
