// scan: sources=library
const { execSync: run, exec } = require('child_process');
const { promisify } = require('util');
const execAsync = promisify(exec);

const platform = process.platform;

exports.kill = async function kill(port, method = 'tcp') {
  port = Number.parseInt(port, 10);
  if (!port) throw new Error('Invalid argument provided for port');
  if (platform === 'win32') {
    const res = run('netstat -nao');
    return execAsync(`TaskKill /F /PID ${res}`);
  }
  const proto = method === 'udp' ? 'udp' : 'tcp';
  return execAsync(`lsof -i ${proto}:${port} | grep LISTEN | awk '{print $2}' | xargs kill -9`);
};
