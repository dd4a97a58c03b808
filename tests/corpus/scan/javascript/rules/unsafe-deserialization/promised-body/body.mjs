export function readBody(stream) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('error', reject);
    stream.on('data', (chunk) => { // source: chunk
      text += chunk;
    });
    stream.on('end', () => resolve(text));
  });
}
