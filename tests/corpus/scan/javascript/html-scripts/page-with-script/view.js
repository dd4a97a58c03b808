function showResult(text) {
  var box = document.getElementById('result');
  box.innerHTML = '<em>' + text + '</em>'; // sink: xss search
}
