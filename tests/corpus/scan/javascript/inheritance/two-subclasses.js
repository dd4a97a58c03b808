const { exec } = require('child_process');

class Shape { run(v) { this.execute(v); } }
class Safe extends Shape { execute(v) { console.log(v.length); } }
class Unsafe extends Shape { execute(v) { exec(v); } } // sink: command-injection argv
new Unsafe().run(process.argv[2]); // source: argv
new Safe().run(process.argv[3]);
