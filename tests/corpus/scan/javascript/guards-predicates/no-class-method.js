const { exec } = require('child_process');

class Checker {
  isSafe(name) {
    return /^[a-z]+$/.test(name);
  }
}
const checker = new Checker();
const name = process.argv[2];
if (checker.isSafe(name)) exec('ls ' + name); // ok: command-injection
