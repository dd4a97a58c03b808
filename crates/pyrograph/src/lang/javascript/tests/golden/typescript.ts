import type { T } from './types';
import { type U, real } from './real';
import fs = require('fs');
import alias = NS.Inner;
enum Color { Red, Green = 'g', Blue = 5, Next, Computed = real() }
const enum Flags { A = 1, B = A << 1 }
namespace NS { export const v = 1; export function f(): number { return v; } export namespace Inner { export let deep = f(); } }
abstract class Service<T> {
  private readonly k: string = 'x'; declare ghost: T; static count?: number = 0;
  constructor(private name: string, public y = 1, @Inject() readonly z?: T) {}
  @Get('/x') @Other handle(@Query('q') q: string, body: T): void { use(q as any, <T>body, this.name!, body satisfies T); }
  abstract missing(): void;
}
function over(a: string): void; function over(a: any) { return a; }
function isString(x: unknown): x is string { return typeof x === 'string'; }
declare function ghost(): void;
declare const nothing: string;
interface I { a: string } type A = I | null;
function useEnum(c: Color) { switch (c) { case Color.Red: return Color.Green; case Color.Blue: return Color.Next; } }
export = Service;
