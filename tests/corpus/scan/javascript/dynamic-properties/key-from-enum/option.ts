export enum Option {
  Command = 'command',
  Title = 'title',
}

export type Options = Partial<Record<Option, string>>;
