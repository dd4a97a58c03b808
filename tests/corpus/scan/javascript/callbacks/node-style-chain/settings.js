const fs = require('fs');

exports.readSettings = (file, done) => {
  fs.readFile(file, 'utf8', (error, text) => { // source: file
    if (error) return done(error);
    try {
      done(null, JSON.parse(text));
    } catch (problem) {
      done(problem);
    }
  });
};
