const express = require("express");
const { convert } = require("./lib/thumbnails");
const { Album } = require("./lib/album");

const app = express();
const album = new Album("/var/lib/photos");

// Vulnerable: the width becomes a part of a shell command in another file.
app.get("/thumbnail/:id", async (req, res) => {
  const photo = album.pathOf(Number(req.params.id));
  const options = { width: req.query.width, format: "png" };
  res.type("png").send(await convert(photo, options));
});

// Vulnerable: `../../etc/passwd` is a name too.
app.get("/photo", (req, res) => {
  res.send(album.read(req.query.name));
});

// Safe: only names of the list reach the file system.
app.get("/sample", (req, res) => {
  const samples = ["beach.jpg", "forest.jpg"];
  if (!samples.includes(req.query.name)) {
    return res.status(404).end();
  }
  res.send(album.read(req.query.name));
});

app.listen(8080);
