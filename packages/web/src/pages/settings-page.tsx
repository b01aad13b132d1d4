import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { FactList } from '../memory/fact-list.tsx';
import { PersonFacts } from '../memory/person-facts.tsx';
import { AppearanceSettings } from '../settings/appearance-settings.tsx';
import { InstanceSettings } from '../settings/instance-settings.tsx';
import { KeySettings } from '../settings/key-settings.tsx';
import { ProfileSettings } from '../settings/profile-settings.tsx';
import { Section } from '../settings/section.tsx';
import { UserSettings } from '../settings/user-settings.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { VariableList } from '../variables/variable-list.tsx';

interface Part {
  readonly path: string;
  readonly name: string;
  readonly isForAdmins?: true;
  readonly content: ReactNode;
}

const instanceVariables = (
  <Section title="Variables" description="Values that the expressions of every workflow can use.">
    <VariableList place={null} />
  </Section>
);

const memory = (
  <>
    <Section title="Shared facts" description="What all your workflows remember, with the scope global.">
      <FactList place={{ scope: 'global' }} />
    </Section>
    <Section title="People" description="What your workflows know about people, with the scope user.">
      <PersonFacts />
    </Section>
  </>
);

const parts: readonly Part[] = [
  { path: 'profile', name: 'Profile', content: <ProfileSettings /> },
  { path: 'api-keys', name: 'API keys', content: <KeySettings /> },
  { path: 'appearance', name: 'Appearance', content: <AppearanceSettings /> },
  { path: 'memory', name: 'Memory', content: memory },
  { path: 'users', name: 'Users', isForAdmins: true, content: <UserSettings /> },
  { path: 'variables', name: 'Variables', isForAdmins: true, content: instanceVariables },
  { path: 'health', name: 'Health', content: <InstanceSettings /> },
];

const tabClasses =
  'inline-flex min-h-8 items-center whitespace-nowrap rounded-control px-3 text-[13px] text-muted hover:bg-hover hover:text-ink';

/** The settings of the user and of the instance. Each part has its own address. */
export function SettingsPage() {
  const { part: wanted } = useParams({ from: '/app/settings/$part' });
  const { data } = useQuery(sessionQuery);
  const offered = parts.filter(({ isForAdmins }) => isForAdmins !== true || data?.user?.is_admin === true);
  const shown = offered.find(({ path }) => path === wanted);
  return (
    <>
      <PageHeader title="Settings" />
      <div className="mx-auto flex w-full max-w-4xl gap-6 p-4 max-md:flex-col md:p-6">
        <nav aria-label="Settings" className="flex shrink-0 flex-wrap gap-1 md:w-40 md:flex-col">
          {offered.map(({ path, name }) => (
            <Link
              key={path}
              to="/settings/$part"
              params={{ part: path }}
              className={tabClasses}
              activeProps={{ className: 'bg-accent-soft !text-accent-strong font-medium' }}
            >
              {name}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          {shown?.content ?? <p className="text-[13px] text-muted">There is no such part of the settings.</p>}
        </div>
      </div>
    </>
  );
}
