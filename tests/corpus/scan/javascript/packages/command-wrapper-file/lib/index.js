var commands = { checkout: require('./commands/checkout') };

function Git(options) {
  var self = this;
  Object.keys(commands).forEach(function (name) {
    self[name] = commands[name](options);
  });
}

module.exports = Git;
