const { once } = require('events');
const { createServer } = require('http');
const { execSync } = require('child_process');

function run(chunk) {
  execSync(String(chunk)); // sink: command-injection body
}

createServer(async (request, response) => {
  const [chunk] = await once(request, 'data'); // source: body
  run(chunk);
  response.end();
});
