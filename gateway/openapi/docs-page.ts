/**
 * The page at `/docs`: Swagger UI, which draws the document and sends requests from the browser. Its files come from
 * this host, as all that the page asks for.
 */

/** The page itself. Addresses are relative, so that it also works behind a path of a proxy. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Messaging Gateway API</title>
    <link rel="icon" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/page.css">
  </head>
  <body>
    <header class="head">
      <a href="panel"><span aria-hidden="true">←</span> Control panel</a>
      <strong>Messaging Gateway</strong>
    </header>
    <main id="operations"></main>
    <noscript>This page needs JavaScript. Without it, read the <a href="openapi.json">OpenAPI document</a>.</noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/page.js"></script>
  </body>
</html>
`;

/**
 * The token stays in the memory of the page: who leaves it has to enter it again. A page of the panel that shows one in
 * another tab is asked for it.
 */
export const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
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
    tokens.onmessage = ({ data }) => data && ui.preauthorizeApiKey('token', data);
    tokens.postMessage('');
  },
});
`;

/** What Swagger UI leaves unreadable on a narrow screen. */
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
 * Script and style of this host alone, and none in the page. Swagger UI sets its styles through the style objects of
 * elements, which a policy does not judge, so \`style-src\` needs no exception; it draws its arrows from \`data:\` images.
 * It may ask this host alone, so that a token that is entered here goes nowhere else.
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

/** The files of Swagger UI that the page asks for, and what they are. */
export const SWAGGER_FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
