const name = new URL(document.location).searchParams.get('name'); // source: location
document.write('<b>' + name + '</b>'); // sink: xss location
