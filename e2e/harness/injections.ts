/** What the scripts of the payloads do. The pages must never have this property. */
const run = 'top.__injected=1';

/** Markup, links and templates that run a script in a page that inserts them without escaping. */
const kinds: readonly string[] = [
  `<script>${run}</script>`,
  `<script src="data:text/javascript,${run}"></script>`,
  `<img src=x onerror="${run}">`,
  `<img/src/onerror=${run}>`,
  `<svg onload=${run}>`,
  `<svg><script>${run}</script></svg>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  `<svg><a><animate attributeName=href values=javascript:${run} /><text y=20>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${run}>`,
  `<iframe srcdoc="<script>${run}</script>"></iframe>`,
  `<iframe src="javascript:${run}"></iframe>`,
  `<object data="javascript:${run}"></object>`,
  `<embed src="javascript:${run}">`,
  `<body onload=${run}>`,
  `<details open ontoggle=${run}>x</details>`,
  `<input autofocus onfocus=${run}>`,
  `<video><source onerror="${run}"></video>`,
  `<a href="javascript:${run}">click</a>`,
  `<a href="java\tscript:${run}">click</a>`,
  `<a href="data:text/html,<script>${run}</script>">click</a>`,
  `<form action="javascript:${run}"><button>send</button></form>`,
  `<button formaction="javascript:${run}">send</button>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${run}">`,
  `<base href="javascript:${run}//">`,
  `<link rel=stylesheet href="data:text/css,*{background:url(javascript:${run})}">`,
  `<style>@import 'javascript:${run}';</style>`,
  `<noscript><p title="</noscript><img src=x onerror=${run}>">`,
  `<template><script>${run}</script></template>`,
  `[link](javascript:${run})`,
  `[link](data:text/html;base64,PHNjcmlwdD50b3AuX19pbmplY3RlZD0xPC9zY3JpcHQ+)`,
  `[link](&#106;avascript:${run})`,
  `![image](javascript:${run})`,
  `![image](x"onerror="${run})`,
  `<javascript:${run}>`,
  `[link]: javascript:${run}\n\n[link]`,
  `\`\`\`html\n<img src=x onerror=${run}>\n\`\`\``,
  `{{constructor.constructor('${run}')()}}`,
  `javascript:${run}`,
  `&lt;img src=x onerror=${run}&gt;`,
  `\\u003cimg src=x onerror=${run}\\u003e`,
];

/** Places from which a payload has to break out. */
const contexts: readonly ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `">${payload}`,
  (payload) => `'>${payload}`,
  (payload) => `</title></textarea></script></style>-->${payload}`,
  (payload) => `x\n\n${payload.replace(/<(\w)/g, (_, first: string) => `<${first.toUpperCase()}`)}`,
];

/** 200 payloads: each kind in each place. Each 40 of them have every kind once. */
export const injections: readonly string[] = contexts.flatMap((inContext) => kinds.map((kind) => inContext(kind)));

/** An expression for the browser: what a payload has done or may do on the page; empty if nothing. */
export const injectedParts = `(() => {
  const dangerous = (element) =>
    ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'MARQUEE'].includes(element.tagName) ||
    [...element.attributes].some(({ name, value }) =>
      /^on/i.test(name) || /^(href|src|action|formaction|xlink:href|values)$/i.test(name) && /^[\\s\\x00-\\x1f]*(javascript|data:text|vbscript)/i.test(value));
  return [
    ...('__injected' in window ? ['a script ran'] : []),
    ...[...document.querySelectorAll('*')].filter(dangerous).map((element) => element.outerHTML.slice(0, 200)),
    ...(window.__violations ?? []),
  ];
})()`;

/** Runs in each page before its own scripts: notes what the content security policy has blocked. */
export const noteViolations = `
  window.__violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.__violations.push(event.violatedDirective + ' ' + event.blockedURI));
`;
