console.log('reading', process.argv[2]); // ok: log-injection
