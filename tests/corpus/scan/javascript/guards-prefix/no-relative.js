// The relative path does not lead upwards.
const fs = require("fs");
const path = require("path");
require("express")().get("/", (req, res) => {
  const file = path.join("files", req.query.file);
  const relative = path.relative("files", file);
  if (relative.startsWith("..")) return res.sendStatus(403);
  fs.readFile(file, (error, data) => res.json({ data }));
});
