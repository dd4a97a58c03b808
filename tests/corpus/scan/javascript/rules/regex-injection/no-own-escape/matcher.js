const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

exports.matcher = (text) => {
  const pattern = new RegExp(escape(text)); // ok: regex-injection
  return (word) => pattern.test(word);
};
