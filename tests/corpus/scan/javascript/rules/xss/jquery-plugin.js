import $ from 'jquery';

function parameters(text) {
  const result = {};
  text.replace(/^\?/, '').split('&').forEach((part) => {
    const [name, value] = part.split('=');
    result[name] = decodeURIComponent(value);
  });
  return result;
}

function showBanner(options) {
  $('#banner').html('<strong>' + options.message + '</strong>'); // sink: xss search
}

showBanner(parameters(window.location.search)); // source: search
