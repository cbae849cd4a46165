/** A page without a script that links to another page, and opens it if `isImmediate`. It meets every content security policy. */
export function renderForwardPage({ title, url, label, isImmediate }) {
  const refresh = isImmediate ? `<meta http-equiv="refresh" content="0; url=${url}">\n` : '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
${refresh}<title>${title}</title>
<h1>${title}</h1>
<p><a href="${url}">${label}</a></p>
</html>
`;
}
