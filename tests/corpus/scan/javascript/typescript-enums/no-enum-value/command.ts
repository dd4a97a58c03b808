export enum Command {
  List = 'ls',
  Where = 'pwd',
}
