const { exec } = require('child_process');
const http = require('http');
class App {
  constructor() { http.createServer(this.handle.bind(this)); }
  handle(req, res) { this.run(req.url); } // source: request
  run(command) { exec(command); } // sink: command-injection request
}
new App();
