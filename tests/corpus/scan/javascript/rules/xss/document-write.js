const page = location.search; // source: search
document.write('<a href="' + page + '">next</a>'); // sink: xss search
