/**
 * VitePress compiles pages as templates. Documents contain no HTML but comments, and text such as `<name>` or `{{` has no
 * meaning there. So comments are removed, and everything else is text.
 */
export function renderHtmlAsText(md) {
  md.renderer.rules.html_block = renderHtml;
  md.renderer.rules.html_inline = renderHtml;
  const render = md.renderer.render.bind(md.renderer);
  md.renderer.render = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');

  function renderHtml(tokens, index) {
    return md.utils.escapeHtml(tokens[index].content.replace(/<!--[\s\S]*?-->\n?/g, ''));
  }
}
