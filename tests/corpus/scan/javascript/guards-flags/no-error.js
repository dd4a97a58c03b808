const { exec } = require('child_process');

function run(name, count) {
  let error = null;
  if (!/^\w+$/.test(name)) error = new Error('name');
  if (typeof count !== 'number') error = 'count';
  if (error) throw error;
  exec(`svc ${name} ${count}`); // ok: command-injection
}
run(process.argv[2], process.argv[3]);
