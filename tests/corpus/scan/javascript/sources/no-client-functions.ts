const base = 'https://example.com';

async function send(method: string, path: string, options: { params: string }) {
  return fetch(base + '/' + options.params); // ok: ssrf
}

export async function GET(path: string, options: { params: string }) {
  return send('GET', path, options);
}
