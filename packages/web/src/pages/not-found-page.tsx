import { Link } from '@tanstack/react-router';
import { buttonClasses } from '../ui/button.tsx';
import { PublicFrame } from './public-frame.tsx';

/** Shown for an address that no page has. */
export function NotFoundPage() {
  return (
    <PublicFrame title="There is no such page">
      <Link to="/workflows" className={buttonClasses('primary')}>
        Go to the workflows
      </Link>
    </PublicFrame>
  );
}
