// The test is of another path than the one that is read.
const fs = require("fs");
const path = require("path");
require("express")().get("/", (req, res) => {
  const file = path.join("files", req.query.file); // source: a
  const other = path.join("files", "index.html");
  if (path.relative("files", other).startsWith("..")) return res.sendStatus(403);
  fs.readFile(file, (error, data) => res.json({ data })); // sink: path-traversal a
});
