import { type Catalogue, Problem } from '@millrace/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { escaped } from '../../plumbing/html-text.ts';
import { componentIndex, componentPage } from '../../reference/component-pages.ts';
import { htmlOf, type LinkTarget } from '../../reference/html.ts';

/** These pages run no scripts. They load only the style sheet and the icon of the service. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The component reference: the pages of `docs/components/`, generated from the components of this service. */
export function addComponentReference(app: FastifyInstance, catalogue: Catalogue): void {
  app.register(async (pages) => {
    // Public, like the documentation in the repository.
    pages.addHook('onRoute', (route) => {
      route.config = { ...route.config, auth: 'none' };
      route.schema = { ...route.schema, hide: true };
    });
    pages.get('/docs/components/', async (_request, reply) => {
      return sent(reply, 'Components', componentIndex(catalogue));
    });
    pages.get<{ Params: { type: string } }>('/docs/components/:type', async ({ params: { type } }, reply) => {
      const component = catalogue.get(type);
      if (component === undefined) throw new Problem('not_found', 'Component type not found.');
      return sent(reply, component.label, componentPage(component));
    });
  });
}

function sent(reply: FastifyReply, title: string, markdown: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page(title, markdown));
}

function page(title: string, markdown: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Millrace</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="/reference.css">
</head>
<body>
<main>
${htmlOf(markdown, hrefOf)}
</main>
</body>
</html>
`;
}

/**
 * Pages link to each other by file name. Only the component pages are served; for other documents the reader gets their
 * name in the repository.
 */
const hrefOf: LinkTarget = (target) => {
  if (target === 'README.md') return { href: '/docs/components/' };
  const [, type] = /^(\w+)\.md$/.exec(target) ?? [];
  return type === undefined ? { file: target.replace('../', 'docs/') } : { href: `/docs/components/${type}` };
};
