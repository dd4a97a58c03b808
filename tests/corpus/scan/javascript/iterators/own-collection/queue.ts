export class Queue<Item> implements Iterable<Item> {
  private items: Item[] = [];

  add(item: Item): void {
    this.items = [...this.items, item];
  }

  [Symbol.iterator](): Iterator<Item> {
    let at = 0;
    const { items } = this;
    return {
      next: () => (at < items.length ? { done: false, value: items[at++] } : { done: true, value: undefined }),
    };
  }
}
