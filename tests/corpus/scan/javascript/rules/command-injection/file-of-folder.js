const fs = require("fs");
const path = require("path");
const { execSync } = require("child_process");

const root = path.resolve(process.cwd(), "..");

function tool() {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")); // source: file
  return manifest.tool;
}

execSync(tool() + " --version"); // sink: command-injection file
