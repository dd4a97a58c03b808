export function lines(chunk: Buffer): string[] {
  return chunk
    .toString('utf8')
    .replace(/\r/g, '')
    .split('\n')
    .filter((line) => line.length > 0 && !line.startsWith('#'));
}
