import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { type ChangeEvent, useId } from 'react';
import { importWorkflow } from '../api/workflows.ts';
import { buttonClasses } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { startFromTemplate } from '../workflows/start-from-template.ts';
import { type Template, templates } from '../workflows/templates.ts';

/** Creates a workflow from a template or from a YAML file. */
export function NewWorkflowPage() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const file = useId();
  const create = useMutation({
    mutationFn: (source: Template | string) =>
      typeof source === 'string' ? importWorkflow(source) : startFromTemplate(source),
    onSuccess: async ({ slug }) => {
      await cache.invalidateQueries({ queryKey: ['workflows', 'list'] });
      await navigate({ to: '/w/$slug', params: { slug } });
    },
  });
  const read = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const chosen = target.files?.[0];
    if (chosen !== undefined) void chosen.text().then((yaml) => create.mutate(yaml));
    // The same file can be chosen again after it was corrected.
    target.value = '';
  };
  return (
    <>
      <PageHeader title="New workflow">
        <Link to="/workflows" className={buttonClasses()}>
          Cancel
        </Link>
      </PageHeader>
      <div className="flex max-w-4xl flex-col gap-4 p-4 md:p-6">
        {create.error !== null && <Notice kind="error">{create.error.message}</Notice>}
        <ul className="grid gap-3 sm:grid-cols-2">
          {templates.map((template) => (
            <li key={template.name}>
              <button
                type="button"
                disabled={create.isPending}
                onClick={() => create.mutate(template)}
                className="flex h-full w-full flex-col gap-1 rounded-card border border-line bg-surface p-4 text-left hover:border-accent"
              >
                <span className="font-semibold">{template.name}</span>
                <span className="text-muted">{template.description}</span>
              </button>
            </li>
          ))}
        </ul>
        <div>
          <input id={file} type="file" accept=".yaml,.yml" className="peer sr-only" onChange={read} />
          <label
            htmlFor={file}
            className={`${buttonClasses()} cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-accent`}
          >
            <FileUp size={16} aria-hidden="true" /> Import a YAML file
          </label>
        </div>
      </div>
    </>
  );
}
