const url = process.argv[2]; // source: argv
const answer = await fetch(url); // sink: ssrf argv
await answer.text();
