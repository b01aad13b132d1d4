import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../api/settings/account.ts';
import { Notice } from '../ui/notice.tsx';

/** Says above every page why the service does not store or answer now, such as a damaged database or a full disk. */
export function HealthNotice() {
  const { data } = useQuery(healthQuery);
  if (data?.reason === undefined) return null;
  return (
    <div className="shrink-0 p-3">
      <Notice kind="warning">{data.reason}</Notice>
    </div>
  );
}
