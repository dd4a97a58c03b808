const name = decodeURIComponent(location.hash.slice(1)); // source: hash
document.getElementById('greeting').innerHTML = '<b>' + name + '</b>'; // sink: xss hash
