const { exec } = require('child_process');
const app = require('fastify')();

function run(command) {
  exec(command); // sink: command-injection input
}

const schema = { querystring: { type: 'object', properties: { file: { type: 'string' }, lines: { type: 'integer' } } } };
app.get('/', { schema }, async (request) => {
  run('head ' + request.query.file); // source: input
});
