const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

exports.greetingFor = async (name) => {
  await wait(10);
  return { name, html: `<b>Hello ${name}</b>` };
};
