// The pattern has no anchors.
exports.nameLike = (body) => {
  const pattern = new RegExp(body);
  return (text) => pattern.test(text);
};
