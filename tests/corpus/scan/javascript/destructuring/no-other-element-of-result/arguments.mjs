export function parseArguments([title = 'untitled', ...others]) {
  return ['node', { title, count: others.length }];
}
