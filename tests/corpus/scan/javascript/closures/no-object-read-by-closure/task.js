// The inner function reads the object only.
exports.createTask = (line) => {
  const task = { line, count: 0 };
  task.describe = () => `${task.line}: ${task.count}`;
  return task;
};
