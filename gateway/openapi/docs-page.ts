/**
 * A reference page: Swagger UI, which shows a document and sends requests from the browser. The gateway serves all of its
 * files.
 */

/**
 * The HTML of a page. URLs are relative, so that the page also works behind a proxy with a path prefix.
 * @param root the path from the page to the gateway's address: empty for `/docs`, `../` for a page one level below
 * @param other the page of the other API
 */
export const pageOf = (
  title: string,
  root: '' | '../',
  other: { href: string; text: string },
): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="${root}docs/favicon-32x32.png">
    <link rel="stylesheet" href="${root}docs/swagger-ui.css">
    <link rel="stylesheet" href="${root}docs/page.css">
  </head>
  <body>
    <header class="head">
      <a href="${root}panel"><span aria-hidden="true">←</span> Control panel</a>
      <a href="${other.href}">${other.text}</a>
    </header>
    <div id="operations"></div>
    <noscript>This page needs JavaScript. Without it, read the <a href="openapi.json">OpenAPI document</a>.</noscript>
    <script src="${root}docs/swagger-ui-bundle.js"></script>
    <script src="${root}docs/page.js"></script>
  </body>
</html>
`;

/**
 * The token is kept only in the memory of the page, and must be entered again after leaving it. A panel page
 * in another tab that shows a token can provide it.
 */
export const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const NAMES = { servers: 'Server', 'examples-select-element': 'Example' };
const REGIONS = { '.information-container': 'About this API', '.schemes-server-container': 'Server and token' };
// What Swagger UI leaves without a name, and links within its buttons.
const mend = () => {
  for (const one of document.querySelectorAll('select:not([aria-label])'))
    one.setAttribute('aria-label', NAMES[one.id] ?? NAMES[one.className] ?? 'Choice');
  for (const [place, name] of Object.entries(REGIONS))
    for (const one of document.querySelectorAll(place + ':not([role])')) {
      one.setAttribute('role', 'region');
      one.setAttribute('aria-label', name);
    }
  for (const one of document.querySelectorAll('.opblock-summary-control a[href]')) one.removeAttribute('href');
};
new MutationObserver(mend).observe(document.getElementById('operations'), { childList: true, subtree: true });
const ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#operations',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  onComplete() {
    const tokens = new BroadcastChannel('token');
    const kind = location.pathname.endsWith('/v1/docs') ? 'gwa_' : 'gw';
    tokens.onmessage = ({ data }) => data?.startsWith(kind) && ui.preauthorizeApiKey('token', data);
    tokens.postMessage('');
  },
});
`;

/** Matches the look of the panel, and fixes Swagger UI's pale colors and its layout on narrow screens. */
export const STYLE = `body { margin: 0; }
html.dark-mode body { background: #1c2022; }
.head { display: flex; align-items: center; justify-content: space-between; gap: 16px; min-height: 56px; padding: 0 20px;
  border-bottom: 1px solid #dfe3e3; color: #182020; font: 14.5px system-ui, sans-serif; }
.head a { padding: 10px 0; color: #0f766e; font-weight: 600; text-decoration: none; }
.head a:hover { text-decoration: underline; }
html.dark-mode .head { border-color: #2b3838; color: #e9efee; }
html.dark-mode .head a { color: #4fd1c0; }
.swagger-ui .topbar { display: none; }
.swagger-ui .btn.authorize { border-color: #0f766e; color: #0f766e; }
.swagger-ui .btn.authorize svg { fill: currentcolor; }
html.dark-mode .swagger-ui .btn.authorize { border-color: #4fd1c0; color: #4fd1c0; }
.swagger-ui, .swagger-ui :is(.info .title, .opblock-tag, .opblock-summary-description, .btn, label, h4, h5, p, td, th) {
  font-family: system-ui, sans-serif; }
.swagger-ui :is(.info a, .info .url) { color: #0f766e; }
.swagger-ui .info code { background: #eef2f1; color: #182020; }
.swagger-ui .info .title pre.version { color: #fff; }
.swagger-ui .info .title small { background: #4b5563; }
.swagger-ui .info .title small.version-stamp { background: #0f766e; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #0f766e; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1d5fa8; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b42318; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a4b08; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #6b3fa0; }
.swagger-ui .parameter__in { color: #4b5563; }
.swagger-ui .microlight span[style*='211, 99, 99'] { color: #ffa3a3 !important; }
html.dark-mode .swagger-ui :is(.info a, .info .url) { color: #4fd1c0; }
html.dark-mode .swagger-ui .info code { background: #2b3838; color: #e9efee; }
html.dark-mode .swagger-ui .parameter__in { color: #b3bdbb; }
html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info ol { padding-left: 1.4em; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .responses-inner { overflow-x: auto; }
html.dark-mode .swagger-ui .examples-select__section-label { color: #e4e6e6; }
@media (max-width: 640px) {
  .swagger-ui .responses-inner { padding: 10px 0; }
  .swagger-ui .response-col_status { min-width: 3em; padding-right: 0; }
  .swagger-ui select { max-width: 100%; min-width: 0; }
}
`;

/**
 * Allows scripts, styles and requests only from this host, so that an entered token cannot be sent elsewhere.
 * Swagger UI sets styles through the DOM, so `style-src` needs no exception; its arrows are `data:` images.
 */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Files of Swagger UI, with their content types. */
export const SWAGGER_FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
