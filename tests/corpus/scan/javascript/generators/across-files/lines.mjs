export function* lines(text) {
  for (const part of text.split('\n')) yield part.trim();
}
