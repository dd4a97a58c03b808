const fs = require('fs');

fs.writeFileSync('/tmp/notes.txt', process.argv[2]); // ok: path-traversal
