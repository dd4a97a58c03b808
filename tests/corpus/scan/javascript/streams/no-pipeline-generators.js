const { pipeline } = require('stream/promises');
const { exec } = require('child_process');

pipeline(
  process.stdin,
  async function* (chunks) {
    for await (const chunk of chunks) yield chunk.length;
  },
  async function (lengths) {
    for await (const length of lengths) exec(`ls ${length}`); // ok: command-injection
  },
);
