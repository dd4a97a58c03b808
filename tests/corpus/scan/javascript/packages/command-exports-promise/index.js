// scan: sources=library
const { execSync: run, exec } = require('child_process');
const { promisify } = require('util');
const execAsync = promisify(exec);

const platform = process.platform;

exports.kill = async function kill(port, method = 'tcp') { // source: a
  if (platform === 'win32') {
    const res = run('netstat -nao');
    return execAsync(`TaskKill /F /PID ${res}`);
  }
  return execAsync(`lsof -i ${method}:${port} | grep LISTEN | awk '{print $2}' | xargs kill -9`); // sink: command-injection a
};
