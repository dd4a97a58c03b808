document.write(document.location); // source: location // sink: xss location
