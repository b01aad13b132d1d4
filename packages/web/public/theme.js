// Applies the chosen theme before the first paint: a module would run after it, and the page would flash.
const theme = localStorage.getItem('millrace.theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
