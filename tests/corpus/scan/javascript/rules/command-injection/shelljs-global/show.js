exports.show = function (file) {
  exec('man ' + file); // sink: command-injection file
};
