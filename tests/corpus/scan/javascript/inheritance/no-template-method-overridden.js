const { exec } = require('child_process');

class Base { command(v) { return v; } run(v) { exec(this.command(v)); } } // ok: command-injection
class Child extends Base { command(v) { return 'ls'; } }
new Child().run(process.argv[2]);
