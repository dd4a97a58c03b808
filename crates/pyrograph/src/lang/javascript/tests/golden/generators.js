function* numbers(x) { const sent = yield x; yield* other(sent); return x; }
async function later(x) { const { data } = await fetch(x); const all = await Promise.all([data, x]); return all[0]; }
async function* stream(xs) { for await (const x of xs) yield x; }
const arrow = async x => await x;
