function Task(name) {
  this.name = name;
}

Task.prototype.setFolder = function (folder) {
  this.folder = folder;
};

module.exports = Task;
