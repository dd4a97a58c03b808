declare var $: any;

$(window.name); // source: name // sink: xss name
