const { pipeline } = require('stream');
const { exec } = require('child_process');

pipeline(
  process.stdin, // source: stdin
  async function* (chunks) {
    for await (const chunk of chunks) yield chunk.toString();
  },
  async function (lines) {
    for await (const line of lines) exec(line); // sink: command-injection stdin
  },
  () => {},
);
