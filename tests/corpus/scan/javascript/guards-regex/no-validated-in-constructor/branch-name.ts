export class BranchName {
  private constructor(public readonly text: string) {}

  static parse(text: string): BranchName {
    if (!/^[A-Za-z0-9_-]+$/.test(text)) {
      throw new SyntaxError('no name of a branch');
    }
    return new BranchName(text);
  }
}
