export enum Field {
  Command = 'command',
}
