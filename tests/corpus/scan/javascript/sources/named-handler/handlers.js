const { exec } = require('child_process');

exports.show = async function (request, response) {
  const name = request.params.name; // source: params
  exec('cat ' + name, () => response.end()); // sink: command-injection params
};
