exports.commands = function* () {
  yield process.env.TARGET; // source: argv
};
