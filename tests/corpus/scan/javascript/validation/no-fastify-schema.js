const { exec } = require('child_process');
const app = require('fastify')();

function run(command) {
  exec(command); // ok: command-injection
}

const schema = { querystring: { type: 'object', properties: { lines: { type: 'integer' }, kind: { enum: ['a', 'b'] } } } };
app.get('/', { schema }, async (request) => {
  run('head -n ' + request.query.lines + request.query.kind);
});
