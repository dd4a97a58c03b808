export function isCommand(text: string): text is 'ls' | 'pwd' {
  return text === 'ls' || text === 'pwd';
}
