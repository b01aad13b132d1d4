import { lexer, type Token, type Tokens } from 'marked';
import { type ReactNode, useMemo } from 'react';
import { safeLink } from './safe-link.ts';

/** A text in Markdown as elements of the page. HTML in it is shown as text: an answer may contain anything. */
export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lexer(text, { gfm: true, breaks: true }), [text]);
  return <div className="flex min-w-0 flex-col gap-2.5 break-words leading-[22px]">{blocks(tokens)}</div>;
}

function blocks(tokens: readonly Token[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their place.
  return tokens.map((token, index) => <Block key={index} token={token as Tokens.Generic} />);
}

function inline(tokens: readonly Token[] | undefined): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their place.
  return (tokens ?? []).map((token, index) => <Inline key={index} token={token as Tokens.Generic} />);
}

function Block({ token }: { readonly token: Tokens.Generic }) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <p className="pt-1 font-semibold text-[15px]">{inline(token.tokens)}</p>;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'text':
      return <span>{token.tokens === undefined ? plain(token) : inline(token.tokens)}</span>;
    case 'code':
      return (
        <pre className="overflow-x-auto rounded-control border border-line bg-sunken p-3 font-mono text-[12px] leading-[18px]">
          {(token as Tokens.Code).text}
        </pre>
      );
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-2 border-line-strong border-l-2 pl-3 text-muted">
          {blocks(token.tokens ?? [])}
        </blockquote>
      );
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'hr':
      return <hr className="border-line" />;
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the items of a list have no identity but their place.
    <li key={index}>{blocks(item.tokens)}</li>
  ));
  if (!list.ordered) return <ul className="flex list-disc flex-col gap-1 pl-5">{items}</ul>;
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-5" start={list.start === '' ? 1 : list.start}>
      {items}
    </ol>
  );
}

function Table({ table: { header, rows } }: { readonly table: Tokens.Table }) {
  const cell = 'border border-line px-2 py-1 text-left align-top';
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-[13px]">
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place.
              <th key={index} className={`${cell} bg-sunken font-medium`}>
                {inline(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowIndex) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place.
            <tr key={rowIndex}>
              {row.map(({ tokens }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place.
                <td key={index} className={cell}>
                  {inline(tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ token }: { readonly token: Tokens.Generic }) {
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return (
        <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[12px]">{(token as Tokens.Codespan).text}</code>
      );
    case 'br':
      return <br />;
    case 'link':
      return <TextLink link={token as Tokens.Link} />;
    case 'image':
      // An image would be loaded from another site, which the page does not allow.
      return <>{(token as Tokens.Image).text || (token as Tokens.Image).href}</>;
    case 'text':
      return token.tokens === undefined ? plain(token) : inline(token.tokens);
    case 'escape':
      return <>{(token as Tokens.Escape).text}</>;
    default:
      return <>{token.raw}</>;
  }
}

function TextLink({ link }: { readonly link: Tokens.Link }) {
  const href = safeLink(link.href);
  if (href === null) return <>{inline(link.tokens)}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline">
      {inline(link.tokens)}
    </a>
  );
}

function plain(token: Tokens.Generic): ReactNode {
  return String(token.text ?? token.raw);
}
