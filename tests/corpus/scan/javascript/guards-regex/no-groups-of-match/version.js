const VERSION = /^v?(\d+)\.(\d+)$/;

exports.parseVersion = (text) => {
  const match = VERSION.exec(text);
  if (!match) return null;
  return { major: match[1], minor: match[2] };
};
