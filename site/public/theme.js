// Runs before the page is shown, so that a dark page is never bright first. An inline script is not allowed.
const preference = localStorage.getItem('vitepress-theme-appearance') || 'auto';
const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark', preference === 'auto' ? prefersDark : preference === 'dark');
document.documentElement.classList.toggle('mac', /Mac|iPhone|iPod|iPad/i.test(navigator.platform));
