import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PublicFrame } from './public-frame.tsx';

/** Shown instead of a page that failed. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <PublicFrame title="This page could not be shown">
      <div className="flex flex-col gap-4">
        <Notice kind="error">{error instanceof Error ? error.message : String(error)}</Notice>
        <Button kind="primary" onClick={retry}>
          Try again
        </Button>
      </div>
    </PublicFrame>
  );
}
