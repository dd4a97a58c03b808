exports.input = () => new Promise((resolve, reject) => {
  if (process.argv.length < 3) reject('ls');
  else resolve(process.argv[2]);
});
