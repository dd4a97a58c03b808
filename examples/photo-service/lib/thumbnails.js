const { exec } = require("node:child_process");
const { promisify } = require("node:util");

const run = promisify(exec);

function commandOf(photo, { width, format }) {
  return `convert ${photo} -resize ${width}x ${format}:-`;
}

async function convert(photo, options) {
  const command = commandOf(photo, options);
  const { stdout } = await run(command, { encoding: "buffer" });
  return stdout;
}

module.exports = { convert };
