const { exec } = require('child_process');

class E extends Error { constructor(text, detail) { super(text); this.detail = detail; } }
try { throw new E('ls', process.argv[2]); } catch (e) { exec(e.message); } // ok: command-injection
try { throw new E(process.argv[2], 'x'); } catch (e) { exec(e.message); } // source: argv // sink: command-injection argv
try { throw new E(process.argv[2], 'x'); } catch (e) { exec(e.detail); } // ok: command-injection
