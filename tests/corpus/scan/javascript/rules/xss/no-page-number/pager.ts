export function pager(text: string): string {
  const page = Math.max(1, Number(text) || 1);
  return `<p>Page ${page}</p><a href="?page=${page + 1}">next</a>`;
}
