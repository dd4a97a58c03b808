// scan: sources=library
// The caller names a file, and the folder of a file.
const fs = require("fs");
const path = require("path");
exports.read = function read(file) {
  return fs.readFileSync(file, "utf8");
};
exports.config = function config(folder) {
  return fs.readFileSync(path.join(folder, "config.json"), "utf8");
};
