$(location.hash.slice(1)); // source: hash // sink: xss hash
