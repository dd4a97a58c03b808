const { spawn } = require("child_process");

class Shell {
  constructor() {
    this.command = process.platform === "win32" ? process.env.TOOL || "cmd.exe" : "/bin/sh"; // source: tool
  }

  start() {
    spawn(this.command, ["--login"]); // sink: command-injection tool
  }
}

new Shell().start();
