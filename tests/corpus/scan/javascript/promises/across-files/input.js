exports.input = () => new Promise((resolve, reject) => {
  if (process.argv.length < 3) reject(new Error('usage'));
  else resolve(process.argv[2]); // source: argv
});
