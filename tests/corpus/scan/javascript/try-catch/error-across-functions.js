const { exec } = require('child_process');

function parse(text) {
  if (text.length > 3) throw new Error('bad ' + text);
  return 'ls';
}

function main(text) {
  try {
    return parse(text);
  } catch (error) {
    exec('echo ' + error.message); // sink: command-injection argv
  }
}
main(process.argv[2]); // source: argv
