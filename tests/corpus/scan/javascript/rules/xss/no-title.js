$('a').attr('title', location.hash.slice(1)); // ok: xss
