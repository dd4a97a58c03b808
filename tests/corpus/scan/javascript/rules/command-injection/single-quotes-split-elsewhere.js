// scan: sources=library
const { exec } = require('child_process');

const quoted = (text) => "'" + text.split('"').join('\\"') + "'";

exports.list = (folder, done) => exec('ls ' + quoted(folder), done); // source: folder // sink: command-injection folder
