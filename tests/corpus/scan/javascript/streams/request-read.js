const { createServer } = require('http');
const { execSync } = require('child_process');

function readAll(stream, done) {
  const chunks = [];
  stream.on('readable', () => {
    let chunk;
    while ((chunk = stream.read()) !== null) chunks.push(chunk); // source: body
  });
  stream.on('end', () => done(Buffer.concat(chunks).toString()));
}

createServer((request, response) => {
  readAll(request, (text) => execSync(text)); // sink: command-injection body
  response.end();
});
