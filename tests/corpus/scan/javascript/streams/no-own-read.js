const { execSync } = require('child_process');

class Settings {
  constructor(request) {
    this.size = request.length;
  }
  read() {
    return 'ls';
  }
}

const settings = new Settings(process.argv[2]);
execSync(settings.read()); // ok: command-injection
