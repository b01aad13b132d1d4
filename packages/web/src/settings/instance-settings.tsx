import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { healthQuery } from '../api/settings/account.ts';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { Section } from './section.tsx';

/** Whether the service is available, and its version. */
export function InstanceSettings() {
  const { data, error } = useQuery(healthQuery);
  return (
    <>
      <Section title="Health" description="The page asks the service every 30 seconds.">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {data === undefined && error === null && <SkeletonRows rows={2} />}
        {data !== undefined && (
          <ul className="flex flex-col gap-1 text-[13px]">
            <Check name="Service" isOk={data.status === 'ok'} />
            <Check name="Database" isOk={data.database === 'ok'} />
          </ul>
        )}
        {data?.reason !== undefined && <Notice kind="warning">{data.reason}</Notice>}
      </Section>
      <Section title="About">
        <p className="text-[13px]">
          Millrace {data?.version}, licensed under Apache-2.0.{' '}
          <a href="/docs" className="text-accent underline">
            API documentation
          </a>
        </p>
      </Section>
    </>
  );
}

function Check({ name, isOk }: { readonly name: string; readonly isOk: boolean }) {
  const Icon = isOk ? CircleCheck : CircleX;
  return (
    <li className="inline-flex items-center gap-2">
      <Icon size={15} className={isOk ? 'text-success' : 'text-danger'} aria-hidden="true" />
      {name}: {isOk ? 'available' : 'not available'}
    </li>
  );
}
