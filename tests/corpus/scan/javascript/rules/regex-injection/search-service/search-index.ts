interface Query { term: string; whole?: boolean }

export class SearchIndex {
  constructor(private readonly words: string[]) {}

  search({ term, whole = false }: Query): string[] {
    const body = whole ? `^(?:${term})$` : term;
    const pattern = new RegExp(body, 'i'); // sink: regex-injection q
    return this.words.filter((word) => pattern.test(word));
  }
}
