const { once } = require('events');
const { createServer } = require('http');
const { execSync } = require('child_process');

async function wait(request) {
  await once(request, 'end');
  return 'ls';
}

createServer(async (request, response) => {
  execSync(await wait(request)); // ok: command-injection
  response.end();
});
