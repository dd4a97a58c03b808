exports.reset = (task) => {
  task.command = 'ls';
};
