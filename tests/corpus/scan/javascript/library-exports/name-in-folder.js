// scan: sources=library
// The caller names a file inside a folder.
const fs = require("fs");
exports.read = function read(name) { // source: a
  return fs.readFileSync("./data/" + name, "utf8"); // sink: path-traversal a
};
