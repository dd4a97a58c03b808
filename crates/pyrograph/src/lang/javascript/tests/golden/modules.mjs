import def, { one, two as second } from './a.mjs';
import * as ns from 'ns';
import './effect.mjs';
export * from './all.mjs';
export * as all from './all.mjs';
export { x as y, default as z } from './b.mjs';
export const value = one(def), { part } = ns;
export let live = 1;
export function declared() { live = second; return ns.member; }
export class Exported {}
const hidden = 2;
export { hidden as shown, hidden as 'quoted name', def as again };
export default (a) => a(this);
