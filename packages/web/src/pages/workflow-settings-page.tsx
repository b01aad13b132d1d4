import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { workflowQuery } from '../api/workflows.ts';
import { FactList } from '../memory/fact-list.tsx';
import { Section } from '../settings/section.tsx';
import { WorkflowAddress } from '../settings/workflow-address.tsx';
import { WorkflowBudget } from '../settings/workflow-budget.tsx';
import { WorkflowDanger } from '../settings/workflow-danger.tsx';
import { WorkflowGeneral, WorkflowRunSettings } from '../settings/workflow-general.tsx';
import { WorkflowSharing } from '../settings/workflow-sharing.tsx';
import { buttonClasses } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { VariableList } from '../variables/variable-list.tsx';
import { WorkflowHeader } from './workflow/workflow-header.tsx';

/** The settings of one workflow. */
export function WorkflowSettingsPage() {
  const { slug } = useParams({ from: '/app/w/$slug/settings' });
  const { data: workflow, error } = useQuery(workflowQuery(slug));
  return (
    <>
      <WorkflowHeader slug={slug} title={`Settings of ${workflow?.name ?? slug}`} />
      {/* A form belongs to one workflow: another one has other forms. */}
      <div key={workflow?.id} className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {workflow === undefined && error === null && <SkeletonRows rows={6} />}
        {workflow !== undefined && (
          <>
            <WorkflowGeneral workflow={workflow} />
            <WorkflowRunSettings workflow={workflow} />
            <Section
              title="Variables"
              description="Values for expressions. A variable of the workflow replaces one of the instance with the same name."
            >
              <VariableList place={slug} />
            </Section>
            <Section title="Memory" description="Facts that executions of this workflow have stored.">
              <FactList place={{ scope: 'workflow', workflow_slug: slug }} />
            </Section>
            <Section
              title="Budget of models"
              description="What the models of this workflow may use. When it is spent, steps that call a model fail."
            >
              <WorkflowBudget workflow={workflow} />
              <Link to="/w/$slug/usage" params={{ slug }} className={`${buttonClasses('plain')} self-start`}>
                Show the usage
              </Link>
            </Section>
            <WorkflowSharing workflow={workflow} />
            <WorkflowAddress workflow={workflow} />
            <WorkflowDanger workflow={workflow} />
          </>
        )}
      </div>
    </>
  );
}
