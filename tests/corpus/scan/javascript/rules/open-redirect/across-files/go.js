exports.goTo = (response, target) => {
  response.redirect('https://' + target); // sink: open-redirect body
};
