exports.load = async function () {
  await null;
  return { command: process.env.COMMAND, name: 'x' }; // source: argv
};
