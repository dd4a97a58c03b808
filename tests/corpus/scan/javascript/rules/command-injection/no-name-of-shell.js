const { spawn } = require("child_process");

class Shell {
  constructor() {
    this.command = process.platform === "win32" ? process.env.comspec || "cmd.exe" : "/bin/sh";
  }

  start() {
    spawn(this.command, ["--login"]); // ok: command-injection
  }
}

new Shell().start();
