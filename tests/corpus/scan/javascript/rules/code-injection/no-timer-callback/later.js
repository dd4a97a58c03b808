exports.later = (action, argument) => {
  const task = () => action(argument);
  setTimeout(task, 10); // ok: code-injection
  setInterval(action, 1000, argument); // ok: code-injection
};
