exports.list = (items, toMarkup) => '<ul>' + items.map((item) => `<li>${toMarkup(item)}</li>`).join('') + '</ul>';
