const fs = require('fs');
const path = require('path');
const Hapi = require('@hapi/hapi');

exports.start = async () => {
  const server = Hapi.server({ port: 3000 });
  server.route({
    method: 'GET',
    path: '/docs/{name*}',
    handler: (request, h) => {
      const name = path.normalize('/' + request.params.name);
      const file = path.join(__dirname, 'docs', name);
      return fs.readFileSync(file, 'utf8');
    },
  });
  await server.start();
};
