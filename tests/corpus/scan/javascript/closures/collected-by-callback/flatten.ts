export function flatten(lists: string[][]): string[] {
  const all: string[] = [];
  lists.forEach((list) => {
    list.forEach((item) => all.push(item));
  });
  return all;
}
