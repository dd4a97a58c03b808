const { exec } = require('child_process');
const fastify = require('fastify')();

fastify.get('/:name', async (request, reply) => {
  exec('ls ' + request.params.name); // source: name // sink: command-injection name
});
fastify.route({
  method: 'POST',
  url: '/',
  handler(q, r) {
    exec('ls ' + q.body.name); // source: body // sink: command-injection body
  },
});
