$('.' + window.name).hide(); // ok: xss
$(location.hash).show(); // ok: xss
