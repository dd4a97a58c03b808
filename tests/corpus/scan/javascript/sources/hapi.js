const { exec } = require('child_process');
const Hapi = require('@hapi/hapi');

const server = Hapi.server({ port: 80 });
server.route({
  method: 'GET',
  path: '/{name}',
  handler: (r, h) => {
    exec('ls ' + r.params.name); // source: name // sink: command-injection name
    return 'x';
  },
});
