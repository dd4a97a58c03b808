exports.leave = (res, target) => {
  res.set({ Location: target }); // sink: open-redirect query
  res.sendStatus(302);
};
