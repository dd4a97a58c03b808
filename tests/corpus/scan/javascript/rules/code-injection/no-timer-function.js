const text = process.argv[2];
setTimeout(() => text.length, 100); // ok: code-injection
setTimeout((value) => value.length, 100, text); // ok: code-injection
