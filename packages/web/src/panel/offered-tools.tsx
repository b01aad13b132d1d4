import type { NodeTools } from '../api/node-types.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { parametersOf } from './fields/tool-roles.ts';
import type { Offer } from './use-offered-tools.ts';

/** The tools that the model of an agent gets from the node, and what it fills in each call. */
export function OfferedTools({ offer: { isRemote, tools, error, isAsking, ask } }: { readonly offer: Offer }) {
  return (
    <section aria-label="Tools" className="flex flex-col gap-1.5 border-line border-t pt-4">
      <h3 className="font-medium text-[13px]">{isRemote ? 'Tools' : 'What the model sees'}</h3>
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {tools !== undefined && error === null && <ToolList tools={tools} />}
      {isRemote && (
        <Button onClick={ask} disabled={isAsking}>
          {isAsking ? 'Asking…' : tools === undefined ? 'List tools' : 'List again'}
        </Button>
      )}
    </section>
  );
}

function ToolList({ tools: { tools, digest, problem } }: { readonly tools: NodeTools }) {
  return (
    <>
      {problem !== null && (
        <Notice kind="error">
          {problem.message} ({problem.code})
        </Notice>
      )}
      {tools.length === 0 && problem === null && <p className="text-[12px] text-muted">There are no tools.</p>}
      <ul className="flex flex-col gap-3">
        {tools.map(({ name, description, effect, parameters }) => (
          <li key={name} className="flex flex-col gap-1 text-[13px]">
            <p>
              <span className="break-all font-mono text-[12px]">{name}</span>
              <span className="ml-1 text-[12px] text-muted">{effect}</span>
            </p>
            <p className="line-clamp-3 text-[12px] text-muted">{description}</p>
            <Parameters schema={parameters} />
          </li>
        ))}
      </ul>
      {digest !== null && (
        <p className="text-[12px] text-muted">
          Digest, for Pinned: <code className="select-all break-all">{digest}</code>
        </p>
      )}
    </>
  );
}

function Parameters({ schema }: { readonly schema: unknown }) {
  const parameters = parametersOf(schema);
  if (parameters.length === 0) return <p className="text-[12px] text-muted">The model fills nothing.</p>;
  return (
    <ul aria-label="What the model fills" className="flex flex-col gap-0.5 border-line border-l-2 pl-2 text-[12px]">
      {parameters.map(({ name, type, description, isRequired }) => (
        <li key={name} title={description === '' ? undefined : description} className="break-words">
          <span className="font-mono">{name}</span>{' '}
          <span className="text-muted">
            {type}
            {isRequired && ', required'}
          </span>
        </li>
      ))}
    </ul>
  );
}
