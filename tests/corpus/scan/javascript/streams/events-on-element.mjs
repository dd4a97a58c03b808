import events from 'node:events';
import { createServer } from 'node:http';
import { execSync } from 'node:child_process';

const run = (values) => execSync(values[0]); // sink: command-injection body

createServer(async (request, response) => {
  for await (const values of events.on(request, 'data')) run(values); // source: body
  response.end();
});
