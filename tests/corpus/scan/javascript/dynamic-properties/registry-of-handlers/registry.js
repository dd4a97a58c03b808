const handlers = Object.create(null);

exports.register = (name, handler) => {
  handlers[name] = handler;
};

exports.dispatch = (name, argument) => {
  const handler = handlers[name];
  if (!handler) throw new Error(`unknown command: ${name}`);
  return handler(argument);
};
